"""What a release says of itself is said alike in every place, and what it claims to support is what CI runs."""

import re
import tomllib
from pathlib import Path

import rochull

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def found(path: str, pattern: str) -> list[str]:
    return re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_one_version() -> None:
    assert PROJECT["version"] == rochull.__version__
    assert found("CITATION.cff", r"^version: (.+)$") == [rochull.__version__]
    assert found("conda/recipe.yaml", r"^  version: (\d.*)$") == [rochull.__version__]


def test_the_changelog_begins_with_this_version() -> None:
    versions = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert versions[0].startswith(f"{rochull.__version__}, ")
    assert all(version.count("\n") < 120 for version in versions)


def test_one_licence() -> None:
    assert found("conda/recipe.yaml", r"^  license: (.+)$") == [PROJECT["license"]]


def test_conda_asks_for_what_pip_asks_for() -> None:
    asked = found("conda/recipe.yaml", r"^    - (.+)$")
    needed = {re.sub(r"(?=>)", " ", line, count=1) for line in PROJECT["dependencies"]}
    assert needed <= set(asked)


def test_addresses_are_there_or_named_as_missing() -> None:
    """No file pretends an address that is none: until there are some, the release checklist says so."""
    missing = found("RELEASING.md", r"^## Before the first release$")
    assert ("urls" in PROJECT) != bool(missing)
    assert bool(found("CITATION.cff", r"^repository-code: ")) != bool(missing)
    assert bool(found("conda/recipe.yaml", r"^  (?:homepage|repository): ")) != bool(missing)


def test_every_python_is_run() -> None:
    claimed = {line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if ":: 3." in line}
    run = found(".github/workflows/ci.yml", r"\"(3\.\d+)\"")
    assert claimed <= set(run)
    assert claimed - {"3.11"} <= set(found(".gitlab-ci.yml", r"\"(3\.\d+)\""))  # .ci/run needs 3.11
