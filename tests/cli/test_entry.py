"""What the shell calls where the libraries of the command line are not installed; runs in the core alone too."""

import sys
from importlib.metadata import entry_points

import pytest


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
