"""House rules: lengths of files and functions, nothing that executes data, no path of one machine.

A longer file or function is allowed where a comment earns it: ``# long: <reason>`` in the first three lines
of the file, or on the lines of the function's signature.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE_LINES = 400
MAX_BODY_LINES = 40
EARNED = re.compile(r"\blong: \S")

# The directories in which people keep their checkouts, as a path's beginning; and a sibling of the checkout.
OUTSIDE = re.compile(rb"(?<![\w.-])/(?:work|home|root|Users)/|\.\./shared")

SOURCES = sorted((ROOT / "src").rglob("*.py"))
TEXTS = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".js", ".css", ".html"})

FORBIDDEN_CALLS = {"eval", "exec"}
FORBIDDEN_MODULES = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve"}


def relative(path: Path) -> str:
    """Return a path as messages and test names show it."""
    return path.relative_to(ROOT).as_posix()


def long_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yield (name, lines of the body without its docstring) of each function that is too long."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if not body or node.end_lineno is None:
            continue
        length = node.end_lineno - body[0].lineno + 1
        signature = lines[node.lineno - 1 : max(node.lineno, node.body[0].lineno - 1)]
        if length > MAX_BODY_LINES and not any("#" in line and EARNED.search(line) for line in signature):
            yield node.name, length


def unsafe_lines(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, what) for each thing that can execute data."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in FORBIDDEN_CALLS:
                yield node.lineno, f"{name}("
            case ast.Import(names=names):
                yield from ((node.lineno, a.name) for a in names if a.name.split(".")[0] in FORBIDDEN_MODULES)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in FORBIDDEN_MODULES:
                yield node.lineno, module
            case ast.keyword(arg="allow_pickle", value=ast.Constant(value=True)):
                yield node.lineno, "allow_pickle=True"


def repository_files() -> list[Path]:
    """Return the tracked files and those that could be added."""
    # A checkout may belong to another user than the one who runs this.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    command += ["--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("path", TEXTS, ids=relative)
def test_file_is_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MAX_FILE_LINES or any(EARNED.search(line) for line in lines[:3])


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_functions_are_short(path: Path) -> None:
    assert list(long_functions(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_nothing_executes_data(path: Path) -> None:
    assert list(unsafe_lines(path.read_text(encoding="utf-8"))) == []


def test_no_path_outside_the_repository() -> None:
    found = {relative(path): OUTSIDE.findall(path.read_bytes()) for path in repository_files()}
    assert {path: matches for path, matches in found.items() if matches} == {}


def test_the_rules_can_fail() -> None:
    body = "\n".join(f"    x = {i}" for i in range(MAX_BODY_LINES + 1))
    assert list(long_functions(f"def f():\n{body}\n")) == [("f", MAX_BODY_LINES + 1)]
    short = body[: body.rfind("    ")]
    assert list(long_functions(f'def f():\n    """Doc.\n\n    More.\n    """\n{short}')) == []
    assert list(long_functions(f"def f(  # long: one table\n    a,\n):\n{body}\n")) == []
    assert list(long_functions(f"def f():  # long:\n{body}\n")) == [("f", MAX_BODY_LINES + 1)]
    unsafe = "import pickle\nfrom joblib import load\neval('1')\nload(f, allow_pickle=True)\nmodel.eval()\n"
    assert sorted(line for line, _ in unsafe_lines(unsafe)) == [1, 2, 3, 4]
    for name in ("work", "home", "root", "Users"):
        assert OUTSIDE.search(f"see /{name}/x".encode())
    assert not OUTSIDE.search(b"https://example.org/home/x and framework/a")
