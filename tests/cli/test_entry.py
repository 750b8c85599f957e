"""What the shell calls where the libraries of the command line are not installed; runs in the core alone too."""

import gc
import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from rochull.cli.entry import main


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_one_sentence_says_what_to_install(
    library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script,) = entry_points(group="console_scripts", name="rochull")
    monkeypatch.setitem(sys.modules, "typer", sys)  # as if it were there, in the core alone too
    monkeypatch.setitem(sys.modules, library, None)
    assert script.load()(["--version"]) == 1
    out, err = capsys.readouterr()
    purpose = {"typer": "for the command line", "rich": "to show tables and progress"}[library]
    says = f'rochull: {library} is needed {purpose}; install it with: pip install "rochull[cli]"\n'
    assert (out, err) == ("", says)


def test_a_terminal_of_no_columns_gets_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("typer")
    monkeypatch.setenv("COLUMNS", "0")
    assert main(["report", "--help"]) == 0
    assert "--label" in capsys.readouterr().out
    assert os.environ["COLUMNS"] == "0"


def test_a_process_that_is_about_to_end_hardly_looks_for_cycles() -> None:
    code = """
import gc, sys
from rochull.cli import main
before, sys.argv = gc.get_threshold(), ["rochull", "--version"]
try:
    main()
finally:
    print(gc.get_threshold()[0] == before[0], gc.get_threshold()[1] > before[1], gc.get_freeze_count() > 0)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "True True True"


def test_a_caller_keeps_its_own_search_for_cycles() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    main(["--version"])
    assert gc.get_threshold() == before[0]
    assert gc.get_freeze_count() <= before[1]  # what was frozen may be gone


@pytest.mark.parametrize("given", [None, "3"])
def test_numpy_starts_without_threads_unless_the_user_wants_some(given: str | None) -> None:
    code = """
import os, sys
from rochull.cli.entry import main
main(["--version"])
kept = os.environ.get("OPENBLAS_NUM_THREADS")
sys.argv = ["rochull", "--version"]
main()
print(kept, os.environ["OPENBLAS_NUM_THREADS"])
"""
    there = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    env = there if given is None else there | {"OPENBLAS_NUM_THREADS": given}
    found = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    assert found.stdout.splitlines()[-1] == f"{given} {given or 1}"
