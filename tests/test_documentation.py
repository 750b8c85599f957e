"""The Python examples in README.md and docs/*.md run and print what they say.

The blocks of one page share their names, in order. A block with ``>>>`` is a doctest; any other must run. A block of
a console holds commands after ``$``, which print what follows them; ``echo $?`` prints the status of the last one.
"""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
BLOCK = re.compile(r"^```(python|pycon|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run_block(code: str, namespace: dict[str, Any], page: str, line: int) -> None:
    """Run one block, whose first line is the given line (from 0) of the page."""
    if ">>>" not in code:
        exec(compile("\n" * line + code, page, "exec"), namespace)
        return
    example = doctest.DocTestParser().get_doctest(code, {}, page, page, line)
    example.globs = namespace  # shared with the blocks before and after
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(example, out=report.append, clear_globs=False)
    assert not report, "".join(report)


def run_console(text: str, page: str, line: int) -> None:
    """Run the commands of one block, and compare what they print."""
    from rochull.cli import app

    status = 0
    for typed, wanted in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            if typed == "echo $?":
                print(status)
            else:
                program, *arguments = shlex.split(typed.replace("\\\n", " "))
                assert program == "rochull", typed
                status = app.main(arguments)
        found = "".join(each for each in printed.getvalue().splitlines(True) if not each.endswith(" ...\n"))
        assert doctest.OutputChecker().check_output(wanted, found, FLAGS), f"{page}, {line}: {typed}\n{found}"


def run_page(text: str, page: str) -> int:
    """Run the Python blocks of a page and return their number."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for match in BLOCK.finditer(text):
        kind, block = match.groups()
        line = text.count("\n", 0, match.start(2))
        if kind == "console":
            run_console(block, page, line)
        else:
            run_block(block, namespace, page, line)
        count += 1
    return count


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what an example writes
    run_page(path.read_text(encoding="utf-8"), str(path))


def first_block(page: str, kind: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[0]


def test_the_site_begins_with_the_lines_of_the_readme() -> None:
    """They install what they stand in, so that they can be copied as they are."""
    lines = first_block("README.md", "sh").splitlines()
    assert first_block("docs/index.md", "sh").splitlines() == lines
    assert [line.split()[0] for line in lines] == ["pip", "TABLE=$(python", "rochull"]
    assert shlex.split(lines[0])[-1].partition("[")[0] == "."


@pytest.mark.long
def test_the_readme_shows_what_its_lines_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rochull.cli import app
    from rochull.datasets import path

    monkeypatch.chdir(tmp_path)
    typed, printed = first_block("README.md", "sh").splitlines()[-1], io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = app.main([str(path("adult_scores")) if w == "$TABLE" else w for w in shlex.split(typed)[1:]])
    assert (status, printed.getvalue()) == (0, first_block("README.md", "text"))
    assert Path("report.html").is_file()


def test_a_wrong_example_fails() -> None:
    page = "```python\nx = 1\n```\n\ntext\n\n```python\n>>> x + 1\n{}\n```\n"
    assert run_page(page.format(2), "page.md") == 2
    with pytest.raises(AssertionError, match=r'File "page.md", line 8'):
        run_page(page.format(3), "page.md")
    with pytest.raises(ZeroDivisionError):
        run_page("```python\n1 / 0\n```\n", "page.md")


def test_a_wrong_command_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = "```console\n$ rochull decide none.json \\\n    none.csv -o o.csv\nrochull: none.json: No such {} ...\n$ echo $?\n{}\n```\n"
    assert run_page(page.format("file", 1), "page.md") == 1
    for words in (("table", 1), ("file", 0)):
        with pytest.raises(AssertionError, match=r"page.md, 1: (rochull|echo)"):
            run_page(page.format(*words), "page.md")


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("LLM", "howto/services.md"),
        ("FastAPI", "howto/web_service.md"),
        ("fusion", "howto/services.md"),
        ("sensitivity at specificity", "howto/limits.md"),
        ("cron", "howto/cli.md"),
        ("exit status", "howto/cli.md"),
    ],
)
def test_a_search_finds_a_page(words: str, page: str) -> None:
    """The site's search shows pages that have every word, by their stems; one with a heading of them comes first."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").lower()
    headings = " ".join(re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    for word in words.lower().split():
        assert re.search(rf"\b{word}", text)
    assert any(re.search(rf"\b{word}", headings) for word in words.lower().split()) or words == "cron"
