"""Would a test notice? Makes one deliberate mistake at a time, and runs the tests that should catch it.

The mistakes are listed in mutants.toml. Each is made in a copy of ``src``, never in the checkout. With a
mistake in a kernel all kernels run as plain Python, so that nothing compiled is stale. The tests are first
run without any mistake: a test that fails anyway catches nothing. The exit status is 1 if a mistake survives
of which the list does not say why.

    .venv/bin/python scripts/mutants.py                  all
    .venv/bin/python scripts/mutants.py hull delong      those whose file's name holds one of the words
    .venv/bin/python scripts/mutants.py --check          only whether their texts occur, and their tests
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_suffix(".toml")
MOST_SECONDS = 300  # a mistake that lets a loop run forever is caught, too


@dataclass(frozen=True)
class Mutant:
    """A mistake: in `file` of the package the text `old` becomes `new`.

    Attributes
    ----------
    why : what goes wrong.
    tests : what should notice, as pytest names it.
    survives : why nothing can notice, if so.
    """

    file: str
    old: str
    new: str
    why: str
    tests: str
    survives: str = ""

    @property
    def in_kernel(self) -> bool:
        """Whether compiled code would change."""
        return self.file.startswith("_core/kernels/")

    def problem(self) -> str | None:
        """What has to be changed in the list, if the code around the mistake has."""
        path = ROOT / "src/rochull" / self.file
        if not path.is_file():
            return f"{self.file} is gone: {self.why}"
        count = path.read_text(encoding="utf-8").count(self.old)
        if count != 1:
            return f"{self.file}: the text {self.old!r} occurs {count} times instead of once."
        for test in self.tests.split():
            name, _, function = test.partition("::")
            function = function.partition("[")[0]
            if not (ROOT / name).is_file():
                return f"{self.file}: there is no {name}."
            if function and not re.search(rf"def {function}\b", (ROOT / name).read_text(encoding="utf-8")):
                return f"{self.file}: {name} has no {function}."
        return None


def listed() -> list[Mutant]:
    """All mutants of the list."""
    return [Mutant(**entry) for entry in tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]]


def run(tests: Iterable[str], source: Path, plain: bool) -> tuple[int, str]:
    """Run tests on a copy of the sources, if asked without compilation: pytest's status, and what it says."""
    # CI=1: hypothesis draws the same examples each time, and stores none.
    found = {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
    found["NUMBA_DISABLE_JIT"] = "1" if plain else "0"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | found, capture_output=True, text=True,
            timeout=MOST_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, "no end"
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    """Run the mutants that are asked for, and tell which survive."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="parts of files' names; all mutants if none is given")
    parser.add_argument("--check", action="store_true", help="only check the list")
    asked = parser.parse_args()
    mutants = [m for m in listed() if not asked.words or any(word in m.file for word in asked.words)]
    if problems := [problem for mutant in mutants if (problem := mutant.problem())]:
        sys.exit("\n".join([*problems, f"Correct {LIST.name}."]))
    if asked.check:
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "src")
        shutil.copytree(ROOT / "src", source)  # with what is compiled already
        for plain in (False, True):
            tests = dict.fromkeys(test for m in mutants if m.in_kernel == plain for test in m.tests.split())
            status, said = run(tests, source, plain) if tests else (0, "")
            if status:
                sys.exit(f"{said}\nThese tests do not pass without a mutant.")
        return report([(mutant, caught(mutant, source)) for mutant in mutants])


def caught(mutant: Mutant, source: Path) -> bool:
    """Whether the tests of a mutant fail."""
    path = source / "rochull" / mutant.file
    right = path.read_text(encoding="utf-8")
    path.write_text(right.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        status, said = run(mutant.tests.split(), source, mutant.in_kernel)
    finally:
        path.write_text(right, encoding="utf-8")
    if status not in (0, 1):  # pytest: 1 if tests fail, more if they could not be run
        sys.exit(f"{said}\n{mutant.file}: the tests could not run with {mutant.new!r}.")
    print(f"{'killed  ' if status else 'SURVIVED'}  {mutant.file}: {mutant.new.strip()!r}", flush=True)
    return bool(status)


def report(results: list[tuple[Mutant, bool]]) -> int:
    """Print the survivors and the sum; 1 if one survived without an explanation."""
    survivors = [mutant for mutant, killed in results if not killed]
    for mutant in survivors:
        print(f"\n{mutant.file}: {mutant.old.strip()!r} became {mutant.new.strip()!r}: {mutant.why}")
        print(f"  {mutant.survives or 'No test noticed: write one.'}")
    print(f"\n{len(results) - len(survivors)} of {len(results)} killed.")
    return int(any(not mutant.survives for mutant in survivors))


if __name__ == "__main__":
    sys.exit(main())
