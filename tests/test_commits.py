"""Subjects of commits keep the rule of CONTRIBUTING.md, and what has no history is not blamed."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "check_commits.py"
spec = spec_from_file_location("check_commits", SCRIPT)
assert spec is not None
assert spec.loader is not None
check_commits: Any = module_from_spec(spec)
spec.loader.exec_module(check_commits)


@pytest.mark.parametrize(
    "subject",
    [
        "hybrid: members in place of six dictionaries",
        "report.verdict: what limits cost",
        "tests, benchmarks: one clock",
        "cli and docs: --max-fpr",
        "_core: no private name of Numba",
        "README: pictures are the pages as they are",
        "x: " + "y" * 69,
    ],
)
def test_subjects_that_keep_the_rule(subject: str) -> None:
    assert check_commits.complaint(subject) == ""


@pytest.mark.parametrize(
    ("subject", "complaint"),
    [
        ("x: " + "y" * 70, "73 characters"),
        ("hybrid: members; report: words", "two concerns"),
        ("A page says more than it did", "neither"),
        ("hybrid:members", "neither"),
        ("hybrid: members.", "neither"),
        ("Merge branch 'reviews'", "neither"),  # of a commit with one parent
    ],
)
def test_subjects_that_break_it(subject: str, complaint: str) -> None:
    assert complaint in check_commits.complaint(subject)


def test_merges_name_what_they_bring() -> None:
    for subject in (
        "Merge branch 'reviews'",
        "Merge pull request #12 from someone/reviews",
        "hybrid: reviews, merged",
        f"Merge {'a' * 40} into {'b' * 40}",
    ):
        assert check_commits.complaint(subject, merges=True) == ""
    for subject in (
        "Merge branch 'main' into x",
        "Merge commit 'ab12cd3'",
        "Merge branch 'wip'",
        "Merge branch '0a1b2c3d'",
    ):
        assert check_commits.complaint(subject, merges=True)


def test_without_a_history_nothing_is_checked(tmp_path: Path) -> None:
    def check() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, SCRIPT, tmp_path], check=False, capture_output=True, text=True, encoding="utf-8"
        )

    assert (check().returncode, check().stdout) == (0, "")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Another history"], check=True)
    assert (check().returncode, check().stdout) == (0, "")


def test_a_commit_since_the_rule_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for subject in ("Before the rule", "hybrid: members", "Something else"):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", subject], check=True)
    first = subprocess.run([*git, "rev-parse", "HEAD~2"], check=True, capture_output=True, text=True).stdout
    monkeypatch.setattr(check_commits, "SINCE", first.strip())
    monkeypatch.setattr(sys, "argv", ["check_commits.py", str(tmp_path)])
    assert check_commits.main() == 1
    told = capsys.readouterr().out
    assert told.count("\n") == 1
    assert "'Something else': neither" in told
