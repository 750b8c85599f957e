"""House rules: lengths of files and functions, what is private, front doors, mirrored tests, no path of one machine.

A rule returns what breaks it, by file; a test compares that with nothing, and the last tests show that each rule
can fail. What broke a rule when it was made is listed here, and may only become less.
"""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import rochull
from mirrors import ELSEWHERE
from syntax import PACKAGE, nodes, sources

ROOT = Path(__file__).resolve().parent.parent
MOST_IN_A_FILE = 400  # lines of code: neither docstrings, nor comments, nor empty lines
MOST_IN_A_BODY = 40

# The directories in which people keep their checkouts, as a path's beginning; and a sibling of the checkout.
OUTSIDE = re.compile(rb"(?<![\w.-])/(?:work|home|root|Users)/|\.\./shared")
FORBIDDEN_CALLS = {"eval", "exec"}
FORBIDDEN_MODULES = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve"}

# Private attributes of other libraries, for which there is no public way.
FOREIGN = {"_jdf", "_getframe", "_rebuild", "_reduce"}


def broken(rule: Callable[[str], Iterator[Any]]) -> dict[str, list[Any]]:
    """What breaks a rule, by module."""
    found = {name: list(rule(source)) for name, source in sources().items()}
    return {name: what for name, what in found.items() if what}


# --- lengths -------------------------------------------------------------------------------------


def docstrings(source: str) -> Iterator[int]:
    """Yield the lines of docstrings."""
    for node in nodes(source):
        match node:
            case ast.Module(body=[ast.Expr(value=ast.Constant(value=str())) as text, *_]):
                yield from range(text.lineno, (text.end_lineno or text.lineno) + 1)
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if ast.get_docstring(node):
                yield from range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)


@cache
def code_lines(source: str) -> set[int]:
    """The numbers of the lines that hold code."""
    lines = {i: line.strip() for i, line in enumerate(source.splitlines(), 1)}
    return {i for i, line in lines.items() if line and line[0] != "#"} - set(docstrings(source))


def page_lines(text: str) -> int:
    """The number of lines of a script, a style or a template that hold more than a comment or an import."""
    lines = (line.strip() for line in text.splitlines())
    return sum(bool(line) and not line.startswith(("//", "/*", "*", "<!--", "import ")) for line in lines)


def long_functions(source: str) -> Iterator[tuple[str, int]]:
    """Yield (name, lines of code in the body) of each function that is too long."""
    code = code_lines(source)
    for node in nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = range(node.body[0].lineno, (node.end_lineno or 0) + 1)
            if len(code.intersection(body)) > MOST_IN_A_BODY:
                yield node.name, len(code.intersection(body))


def test_files_are_short() -> None:
    lengths = {name: len(code_lines(source)) for name, source in sources().items()}
    for path in (*PACKAGE.rglob("*"), *(ROOT / "page/src").rglob("*")):
        if path.suffix in {".js", ".ts", ".tsx", ".css", ".html"} and path.suffixes[:-1] == []:
            name = path.relative_to(ROOT).as_posix()
            lengths[name] = page_lines(path.read_text(encoding="utf-8"))
    assert {name for name, length in lengths.items() if length > MOST_IN_A_FILE} == set()


def test_functions_are_short() -> None:
    assert broken(long_functions) == {}


def test_a_name_stands_for_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for module, source in sources().items():
        for node in nodes(source):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_a_name_stands_for_two_functions_at_most() -> None:
    homes: dict[str, set[str]] = {}
    for module, source in sources().items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and node.name[0] != "_":
                homes.setdefault(node.name, set()).add(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 2} == {}


# --- what is private -------------------------------------------------------------------------------


def is_private(name: str) -> bool:
    """Whether a name is of one module alone; rochull._core is a wing's name, and __this__ is Python's."""
    return name.startswith("_") and not name.startswith("__") and name not in {"_", "_core"}


def own_names(source: str) -> Iterator[str]:
    """Yield the names that a module gives to functions, classes, variables and attributes."""
    for node in nodes(source):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def nosy_lines(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, what) where a module uses what is private to another one.

    That is, an import of a private name from rochull, and a private attribute of anything but self, if no such
    name is given in the module itself.
    """
    own = set(own_names(source))
    for node in nodes(source):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == "rochull":
                yield from ((node.lineno, a.name) for a in names if is_private(a.name))
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                pass
            case ast.Attribute(attr=name) if is_private(name) and name not in own | FOREIGN:
                yield node.lineno, ast.unparse(node)


def test_no_module_uses_what_is_private_to_another() -> None:
    assert broken(nosy_lines) == {}


# --- what an object is is its own business ---------------------------------------------------------------

# Objects of others that have no other way to take something.
SET_FROM_OUTSIDE = {
    ("_core/docstrings.py", "function.__doc__"),  # a decorator writes what the function says of itself
    ("plotting/base.py", "function.__doc__"),
    ("_core/late_bases.py", "LateTransformer.__bases__"),  # of scikit-learn, once that is imported
    ("_core/files.py", "error.filename"),  # the file that was asked for, not the one beside it
    ("cli/interrupted.py", "sys.unraisablehook"),  # Python has no other way to say less
    (
        "scanning/engines/spark_session.py",
        "context.pythonExec",
    ),  # while a query is made; else the environment
}


def made_in(scope: ast.AST) -> Iterator[str]:
    """Yield the names of what a function makes: by a call, in `with`, or as a function in it."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=targets, value=ast.Call()):
                names = (name for each in targets for name in ast.walk(each) if isinstance(name, ast.Name))
                yield from (name.id for name in names if isinstance(name.ctx, ast.Store))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call()):
                yield name
            case ast.withitem(optional_vars=ast.Name(id=name)):
                yield name
            case ast.FunctionDef(name=name) if node is not scope:
                yield name


def set_from_outside(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, what) where an attribute is set of an object that neither is self nor was made just there."""
    functions = [node for node in nodes(source) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {child for node in functions for child in ast.walk(node) if child is not node}
    for scope in (node for node in functions if node not in inner):
        made = set(made_in(scope))
        for node in ast.walk(scope):
            may_be = made
            match node:
                case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()):
                    what = ast.unparse(node)
                case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[owner, *_]):
                    what = ast.unparse(owner)
                case ast.Call(func=ast.Attribute(attr="__setattr__" | "__delattr__"), args=[owner, _, _]):
                    what, may_be = ast.unparse(owner), set()  # it is frozen, whoever made it
                case ast.Subscript(
                    value=ast.Attribute(value=owner, attr="__dict__"), ctx=ast.Store() | ast.Del()
                ):
                    what = ast.unparse(node)
                case _:
                    continue
            name = ast.unparse(owner)
            if name not in {"self", "cls"} and name.split(".")[0] not in may_be:
                yield node.lineno, what


def test_nobody_sets_another_object_s_attributes() -> None:
    found = {(module, what) for module, lines in broken(set_from_outside).items() for _, what in lines}
    assert found == SET_FROM_OUTSIDE


# --- wings, and the tests that mirror them ---------------------------------------------------------------


def test_every_wing_has_a_front_door() -> None:
    """Three sentences on what lives there; and, where names are public, the one list of them."""
    for folder in {(PACKAGE / name).parent for name in sources()}:
        door = folder / "__init__.py"
        assert door.is_file(), folder
        said = ast.get_docstring(ast.parse(door.read_text(encoding="utf-8"))) or ""
        assert len(re.findall(r"[.:](?:\s|$)", said)) >= 2, f"{door}: say what lives here"
        if "front_door" in door.read_text(encoding="utf-8"):
            assert door.with_suffix(".pyi").is_file(), door


def test_help_says_what_every_name_is_for() -> None:
    said = set(re.findall(r"\w+", rochull.__doc__ or ""))
    names = {name for name in rochull.__all__ if name[0] != "_" and not (PACKAGE / name).is_dir()}
    assert names - said == set()


def test_every_module_has_its_tests() -> None:
    """In the mirrored file, or where support/mirrors.py says."""
    elsewhere = [name for names in ELSEWHERE.values() for name in names]
    modules = {name for name in sources() if not name.endswith("__init__.py")}
    lacking = {name for name in modules if not (ROOT / "tests" / mirrored(name)).is_file()}
    assert lacking - set(elsewhere) == set(), "no tests: make a file, or name one in support/mirrors.py"
    assert set(elsewhere) - lacking == set(), (
        "support/mirrors.py names what is not there, or has its own file"
    )
    assert len(elsewhere) == len(set(elsewhere))
    assert [name for name in ELSEWHERE if not (ROOT / "tests" / name).is_file()] == []


def mirrored(name: str) -> str:
    """The path of a module's tests."""
    folder, _, file = name.rpartition("/")
    return f"{folder}/test_{file}"


def test_test_modules_do_not_import_each_other() -> None:
    """What several need is in tests/support."""
    for path in (ROOT / "tests").rglob("*.py"):
        assert (
            re.findall(r"^\s*(?:from|import) (?:\w+\.)*test_\w+", path.read_text(encoding="utf-8"), re.M)
            == []
        ), path


# --- safety ------------------------------------------------------------------------------------------


def unsafe_lines(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, what) for each thing that can execute data."""
    for node in nodes(source):
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


def test_nothing_executes_data() -> None:
    assert broken(unsafe_lines) == {}


def test_no_path_outside_the_repository() -> None:
    found = {path: OUTSIDE.findall(path.read_bytes()) for path in repository_files()}
    assert {path: matches for path, matches in found.items() if matches} == {}


# --- messages are data ---------------------------------------------------------------------------------

# Where the text of an error is read: errors of others, who give no more than a text, each with its reason.
READ = {
    (
        "_core/file_queries.py",
        "_explained",
    ): "DuckDB has one class for a full disk, a damaged file and bad text",
    ("_core/file_queries.py", "first_sentence"): "DuckDB's messages have several lines",
    ("_core/page_checksums.py", "is_damaged"): "Arrow has no class for a wrong checksum",
    ("_core/schemas.py", "_refusal"): "a fault of a document may be told by whoever reads a field",
    ("cli/engine.py", "engine_errors"): "a MemoryError may be NumPy's",
    ("scanning/engines/duckdb_decide.py", "_copied"): "DuckDB has no class for a full disk",
    ("scanning/engines/duckdb_rows.py", "_explained"): "DuckDB has no class for a full disk",
    ("scanning/engines/spark_session.py", "_reason"): "Spark's messages have Java's and Python's in them",
    ("scanning/engines/spark_session.py", "spark_files"): "Spark has one class for all that a path can lack",
}
SEARCHES = {
    "count", "endswith", "find", "index", "lstrip", "partition", "removeprefix", "removesuffix", "replace",
    "rfind", "rpartition", "rstrip", "split", "splitlines", "startswith", "strip", "translate",
}  # fmt: skip
PATTERNS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub"}


def is_sentence(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    """Whether an expression is what an error says, or how something describes itself."""
    match node:
        case ast.Name(id=name):
            return name in texts
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=name)]) if name in errors:
            return True
        case ast.Call(func=ast.Attribute(attr="describe")):
            return True
        case ast.Call(func=ast.Name(id="repr"), args=[ast.Name() | ast.Attribute()]):
            return True
        case ast.Attribute(value=ast.Name(id=name), attr="args"):
            return name in errors
        case ast.BoolOp(values=[first, *_]) | ast.Subscript(value=first):
            return is_sentence(first, errors, texts)
        case ast.JoinedStr(values=values):
            inner = [each.value for each in values if isinstance(each, ast.FormattedValue)]
            return any(isinstance(each, ast.Name) and each.id in errors for each in inner)
    return False


def says_an_error(hint: ast.expr | None) -> bool:
    """Whether a parameter is an error, by its annotation."""
    return hint is not None and ast.unparse(hint).endswith(("Error", "Exception", "Warning"))


def read_sentences(source: str) -> Iterator[str]:
    """Yield the functions that look for something in what an error, or a description, says."""
    for function in nodes(source):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        inside = list(ast.walk(function))
        arguments = [*function.args.args, *function.args.kwonlyargs]
        errors = {each.name for each in inside if isinstance(each, ast.ExceptHandler) and each.name}
        errors |= {each.arg for each in arguments if says_an_error(each.annotation) or each.arg == "error"}
        texts: set[str] = set()
        for each in inside:
            pairs: list[tuple[ast.AST, ast.AST]] = []
            match each:
                case ast.Assign(targets=[ast.Name() as name], value=value):
                    pairs = [(name, value)]
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    pairs = list(zip(names, values, strict=False))
            texts |= {
                name.id for name, value in pairs
                if isinstance(name, ast.Name) and is_sentence(value, errors, texts)
            }  # fmt: skip
        if any(is_search(each, errors, texts) for each in inside):
            yield function.name


def is_search(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    """Whether something is looked for in a sentence, or put in the place of a part of it."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in SEARCHES:
            found = [value]
        case ast.Compare(left=left, comparators=[*others]):
            found = [left, *others] if isinstance(node.ops[0], ast.Eq | ast.NotEq) else others
        case _:
            found = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PATTERNS:
        found = [*found, *node.args]
    return any(is_sentence(each, errors, texts) for each in found)


def test_no_sentence_is_searched_or_rewritten() -> None:
    """An error of ours says by its class and its parts what it is about; see `_core/messages.py`."""
    found = {(module, name) for module, names in broken(read_sentences).items() for name in names}
    assert found - set(READ) == set(), "read the parts of the message, not its text"
    assert set(READ) - found == set(), "an exception that nobody needs"


# --- the rules can fail --------------------------------------------------------------------------------


def test_lengths_count_code() -> None:
    body = "\n".join(f"    x = {i}" for i in range(MOST_IN_A_BODY + 1))
    assert list(long_functions(f"def f():\n{body}\n")) == [("f", MOST_IN_A_BODY + 1)]
    assert list(long_functions(f"def f():  # long: one table\n{body}\n")) == [("f", MOST_IN_A_BODY + 1)]
    short = body[: body.rfind("    ")]
    assert list(long_functions(f'def f():\n    """Doc.\n\n    More.\n    """\n    # why\n\n{short}')) == []
    assert code_lines('"""Doc.\n"""\n# why\nx = """\ny\n"""\n\nclass A:\n    """Doc."""\n') == {4, 5, 6, 8}
    assert page_lines("// why\n\nconst x = 1; // why\n/* and\n * so */\n") == 1


def test_what_is_private_is_found() -> None:
    def found(source: str) -> list[str]:
        return [what for _, what in nosy_lines(source)]

    assert found("from rochull.hull.hull import _points, RocHull\nfrom rochull import _core") == ["_points"]
    assert found("def f(hull):\n    return hull._owners, hull.__class__, hull.owners") == ["hull._owners"]
    assert found("class A:\n    def f(self, other):\n        return self._x, super()._x, other._y") == [
        "other._y"
    ]
    assert found("class A:\n    def f(self, other):\n        self._x = other._x") == []
    assert found("from numpy import _core, _x") == []


def test_what_sets_another_object_s_attributes_is_found() -> None:
    def found(body: str) -> list[str]:
        return [what for _, what in set_from_outside(f"def f(self, other):\n    {body}\n")]

    assert found("other.x = self.y = 1") == ["other.x"]
    assert found("self.part.x, other.y.z = 1, 2") == ["self.part.x", "other.y.z"]
    assert found("del other.x; other.n += 1") == ["other.x", "other.n"]
    assert found("part = self.part; part.x = 1") == ["part.x"]
    assert found("part = copy(other); part.x = 1; setattr(part, 'y', 2)") == []
    assert found("for name in other: setattr(other, name, 1)") == ["other"]
    assert found("object.__setattr__(self, 'x', 1); object.__setattr__(other, 'x', 1)") == ["other"]
    assert found("part = copy(other); object.__setattr__(part, 'x', 1)") == ["part"]
    assert found("other.__dict__['x'] = self.__dict__['x'] = 1; other.x[0] = 1") == ["other.__dict__['x']"]


def test_what_executes_data_is_found() -> None:
    unsafe = "import pickle\nfrom joblib import load\neval('1')\nload(f, allow_pickle=True)\nmodel.eval()\n"
    assert sorted(line for line, _ in unsafe_lines(unsafe)) == [1, 2, 3, 4]
    for name in ("work", "home", "root", "Users"):
        assert OUTSIDE.search(f"see /{name}/x".encode())
    assert not OUTSIDE.search(b"https://example.org/home/x and framework/a")


def test_what_reads_sentences_is_found() -> None:
    def found(body: str) -> list[str]:
        return list(read_sentences(f"def f(x, error: ValueError):\n    {body}\n"))

    for body in (
        "return 'disk' in str(error)",
        "text = str(error)\n    return text.replace('a', 'b')",
        "a, text = 1, f'{x}: {error}'\n    return re.sub('a', 'b', text)",
        "return PATTERN.search(x.describe())",
        "return re.sub('a', 'b', repr(x))",
        "return error.args[0] == 'a'",
        "try:\n        x()\n    except OSError as why:\n        return str(why).partition(':')",
        "return str(error)[0].strip()",
    ):
        assert found(body) == ["f"], body
    for body in (
        "raise A(str(error))",
        "return Refusal('{}: {}', x, error)",
        "return str(x).replace('a', 'b')",
    ):
        assert found(body) == [], body
