"""A walk: a command is one file with a function of its name, and one line in the table of commands."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rochull.cli import app as table
from rochull.cli.app import main

# cli/scratch.py
SCRATCH = '''
"""``rochull scratch``: what a policy flags of a table, in a line."""

from pathlib import Path
from typing import Annotated

from rochull._core.messages import Parameter, Refusal
from rochull.cli.declared import Argument, Option
from rochull.cli.options import UsageError, say


def scratch(
    policy: Annotated[Path, Argument(help="A policy.")],
    *,
    max_share: Annotated[float, Option(help="The share that may be flagged.", metavar="SHARE")] = 0.1,
) -> None:
    """Tell whether a rule flags too much.

    The first line is the command's place in the list.
    """
    if max_share == 0:
        raise UsageError("--max-share 0 allows nothing.")
    if max_share > 1:
        raise Refusal("{} must be at most 1, but is {}.", Parameter("max_share"), max_share)
    say(f"{policy.name}: at most {max_share}")
'''


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The new file in the folder of the wing, and the one line."""
    import rochull.cli

    (tmp_path / "scratch.py").write_text(SCRATCH, encoding="utf-8")
    monkeypatch.setattr(rochull.cli, "__path__", [*rochull.cli.__path__, str(tmp_path)])
    monkeypatch.setattr(table, "COMMANDS", (*table.COMMANDS, "scratch"))
    table.command_line.cache_clear()
    yield
    table.command_line.cache_clear()
    sys.modules.pop("rochull.cli.scratch", None)


def test_a_new_command(added: None, capsys: Any) -> None:
    assert main(["scratch", "rules.json", "--max-share", "0.2"]) == 0
    assert capsys.readouterr().out == "rules.json: at most 0.2\n"
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "Tell whether a rule flags too much." in shown
    assert main(["scratch", "--help"]) == 0
    assert "The share that may be flagged." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "status", "message"),
    [
        (["--max-share", "0"], 2, "rochull: --max-share 0 allows nothing.\n"),
        (["--max-share", "2"], 1, "rochull: --max-share must be at most 1, but is 2.0.\n"),
        (["--min-share", "2"], 2, "rochull: No such option: --min-share"),
    ],
)
def test_its_errors_are_lines_and_statuses(
    added: None, capsys: Any, typed: list[str], status: int, message: str
) -> None:
    assert main(["scratch", "rules.json", *typed]) == status
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith(message)


def test_a_command_that_nobody_listed_is_unknown(capsys: Any) -> None:
    assert main(["scratch", "rules.json"]) == 2
    assert "No such command 'scratch'" in capsys.readouterr().err


def test_every_command_is_a_function_of_its_file() -> None:
    folder = Path(table.__file__).parent
    assert all((folder / f"{name}.py").is_file() for name in table.COMMANDS)
    assert set(table.command_line().commands) == set(table.COMMANDS)
