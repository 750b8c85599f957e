"""Parameters of commands: what is typed as usual is read as typer reads it, and the rest is left to typer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import GERMAN, saved_policy
from profiles import tries
from rochull.cli import app, declared

# What is typed after a command: its own words in any order, values of every kind, and what is wrong.
VALUES = st.sampled_from(
    ["", "a", "t.parquet", "7", "-7", "007", "1_0", "1.0", " 7", "\u0667", "9" * 19, "pav", "duckdb",
     "posterior", "step", "none", "a=b", "-", "--", "-o", "--policy", "\udcff", "x y", "0.1:0.2"]
)  # fmt: skip


@st.composite
def typed(draw: st.DrawFn) -> list[str]:
    name = draw(st.sampled_from(app.COMMANDS))
    options = sorted(each for one in taken(name) for each in one.names)
    needed = [one for one in taken(name) if one.default is declared.Parameter.empty]
    words = [[*one.names[:1], draw(VALUES)] for one in needed if draw(st.integers(0, 3))]
    for _ in range(draw(st.integers(0, 4))):
        option = draw(st.sampled_from([*options, "--what"]))
        value = draw(VALUES)
        words.append(draw(st.sampled_from([[option], [option, value], [f"{option}={value}"], [value]])))
    return [name, *(word for each in draw(st.permutations(words)) for word in each)]


def taken(name: str) -> Any:
    return declared._taken(app._command(name))


def by_typer(words: Sequence[str]) -> Any:
    """The values that typer reads, or the error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declared, "run", lambda _, values: values)
        try:
            return app.command_line()(args=[*words], standalone_mode=False, prog_name="rochull")
        except Exception as error:
            return error


@tries(150)
@given(typed())
def test_what_is_read_is_what_typer_reads(words: list[str]) -> None:
    found = declared.read(app._command(words[0]), words[1:])
    if found is not None:
        assert found == by_typer(words)


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["sql", "p.json", "--dialect", "duckdb", "--max-fpr=0.1", "--column", "a=b", "--column", "c"], True),
        (["decide", "-o", "o.csv", "p.json", "t.csv", "--deterministic", "--random-state", "7"], True),
        (["multiclass", "t.csv", "--label", "y", "--minimize", "cost", "--method", "greedy", "-q"], True),
        (["decide", "p.json", "t.csv"], False),
        (["decide", "p.json", "t.csv", "u.csv", "-o", "o.csv"], False),
        (["decide", "p.json", "t.csv", "-oo.csv"], False),
        (["decide", "p.json", "t.csv", "-o", "o.csv", "--random-state", "7.5"], False),
        (["decide", "p.json", "t.csv", "-o", "o.csv", "--key", "a", "--key", "b"], False),
        (["decide", "--help"], False),
    ],
)
def test_what_is_usual(words: list[str], read: bool) -> None:
    found = declared.read(app._command(words[0]), words[1:])
    assert (found is not None) == read
    if read:
        assert found == by_typer(words)


def test_whatever_typer_reads_it_is_asked_where_the_shell_completes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(app, "command_line", lambda: lambda **how: asked.append(how["args"]))
    monkeypatch.setattr(app, "run", lambda command, given: asked.append(given["policy"]))
    words = ["sql", "p.json", "--dialect", "duckdb"]
    app.main(words)
    monkeypatch.setenv("_ROCHULL_COMPLETE", "complete_bash")
    app.main(words)
    assert asked == [Path("p.json"), words]


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", "import sys; from rochull.cli import main; sys.exit(main())", "sql"]
    words = [saved_policy(tmp_path), "--dialect", "duckdb", "--cost-fn", "5", "--prevalence", "0.3"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        [*command, *words], stdout=write, stderr=subprocess.PIPE, env=environment, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_decision_typed_as_usual_imports_few_libraries(tmp_path: Path) -> None:
    code = (
        "import sys; from rochull.cli import main; status = main(sys.argv[1:]); "
        "print(status, {'typer', 'click', 'pydantic', 'rich', 'pyarrow', 'numba', 'pandas'} & {*sys.modules})"
    )
    words = ["decide", saved_policy(tmp_path), GERMAN, "--cost-fn", "5", "-o", str(tmp_path / "o.parquet")]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 set()", done.stdout
