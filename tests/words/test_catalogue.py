"""The catalogue and who uses it: every key is said somewhere, and all that is said is there."""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import rochull.report
from rochull.conditions import corner, indices, limits, measures
from rochull.conditions.objectives import Objective
from rochull.report.glossary import TERMS
from rochull.words import decisions
from rochull.words.clauses import catalogue
from rochull.words.decisions import tables
from syntax import nodes, parsed, sources

PAGE = Path(__file__).parents[2] / "page"
WORDS = Path(decisions.__file__).parent
ROOT = Path(__file__).parents[2]

# Families of keys that are put together: by a measure's key, or by what else is in place of it.
OF_MEASURES = ("best", "limit", "least", "measure", "loss", "expect")
OTHERS = {
    "best": {"other", "costs", "accuracy", "churn profit", "credit profit", "review"},
    "limit": {"other", "own", "at", "cases", "cases of"},
    "loss": {"other"},
    "expect": {"other"},
    "prevalence": {"stated", "data", "unsaid"},
    "answer": {"comparison.none", "comparison.all", "bar.none", "bar.all"},
    "term": set(TERMS),
    "reviews": {"max_share", "max_cases", "max_error", "reviewer"},
}


def keys_of(of: type[Objective] = Objective) -> Iterator[str]:
    """Yield the keys of the package's measures."""
    for each in of.__subclasses__():
        if hasattr(each, "key") and each.__module__.startswith("rochull."):
            yield each.key
        yield from keys_of(each)


def said() -> Iterator[tuple[str, str]]:
    """Yield (constructor, key) of clauses and advice whose key is a text."""
    for source in sources().values():
        for node in nodes(source):
            match node:
                case ast.Call(
                    func=ast.Name(id="Clause" | "Advice" | "tell" as name),
                    args=[ast.Constant(value=str(key)), *_],
                ):
                    if key:  # none where slots alone are written
                        yield name, f"advice.{key}" if name == "Advice" else key
    written = (
        *(PAGE / "src").rglob("*.[jt]s*"),
        *(Path(rochull.report.__file__).parent / "templates").glob("*.html"),
    )
    for source in written:  # "page.x", or `page.${...}` of which each is told
        for key, part in re.findall(
            r"""["'`]((?:page|answer|report)\.[\w. ]*)(\$?)""", source.read_text(encoding="utf-8")
        ):
            whole = [each for each in catalogue() if each.startswith(key)] if part else [key]
            yield from (("Clause", each) for each in whole)
    for table in tables().values():
        yield from (("Clause", row["say"]) for row in table if row["say"] is not None)


def test_what_is_said_is_in_the_catalogue() -> None:
    measured = indices.MCC, measures.Precision, corner.ClosestTopLeft, limits.Excess
    assert {each.key for each in measured} <= set(keys_of())
    assert {key for _, key in said()} - set(catalogue()) == set()
    needed = {f"{family}.{part}" for family, parts in OTHERS.items() for part in parts}
    needed |= {f"measure.{key}" for key in keys_of()}
    assert needed - set(catalogue()) == set()


def test_every_key_is_said() -> None:
    told, keys = list(said()), set(keys_of())
    unused = set()
    for key in set(catalogue()) - {key for _, key in told}:
        family, _, part = key.partition(".")
        if family == "advice" and "Advice" not in dict(told):
            continue
        if part not in OTHERS.get(family, ()) and not (family in OF_MEASURES and part in keys):
            unused.add(key)
    assert unused == set()


# A page of its own, what conditions call measures, and pictures in which a message is chosen by its last part.
_APART = ("expert.classes", "page.classes", "measure.", "page.zone.")


def test_no_two_keys_say_the_same() -> None:
    experts = json.loads((WORDS / "experts.json").read_text(encoding="utf-8"))
    messages = catalogue() | {f"expert.{key}": message for key, message in experts.items()}
    told: dict[str, list[str]] = {}
    for key, message in messages.items():
        if not key.startswith(_APART):
            told.setdefault(str(message), []).append(key)
    assert [keys for keys in told.values() if len(keys) > 1] == []


# Modules that have no words of their own: all that they say is in the catalogue.
WORDLESS = (
    "report.answer",
    "report.answer_state",
    "report.baselines",
    "report.brief",
    "report.calibration",
    "report.calibration_scanned",
    "report.card",
    "report.current",
    "report.data_wording",
    "report.deploy",
    "report.derived",
    "report.dominance_wording",
    "report.facts",
    "report.held_out",
    "report.judged",
    "report.live_segments",
    "report.multiclass",
    "report.multiclass_answer",
    "report.multiclass_baselines",
    "report.multiclass_deploy",
    "report.multiclass_derived",
    "report.multiclass_facts",
    "report.multiclass_savings",
    "report.multiclass_text",
    "report.multiclass_verdict",
    "report.need_wording",
    "report.opening",
    "report.packing",
    "report.resampled",
    "report.review_order",
    "report.review_price",
    "report.review_wording",
    "report.reviews",
    "report.robust",
    "report.robust_wording",
    "report.scanned",
    "report.scanned_segments",
    "report.score_wording",
    "report.segment_wording",
    "report.segments",
    "report.text",
    "report.uncertainty_facts",
    "report.uncertainty_wording",
    "report.verdict",
    "report.verdict_notes",
    "report.wording",
)


APART = ("ValueError", "Refusal", "refused", "re.compile")
_TOGETHER = re.compile(r"[^\W\d_]\S*\s|\s\S*[^\W\d_]")


def texts_in(tree: ast.AST) -> Iterator[str]:
    """Yield texts of two words and more, and parts of such; not what facts are looked up by, nor errors.

    An error says what is wrong where it is found, with its parts (``_core/messages.py``); patterns are below.
    """
    named = set[ast.AST]()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.Module() | ast.ClassDef() if ast.get_docstring(node) is not None:
                named.add(node.body[0].value)  # type: ignore[attr-defined]
            case ast.Dict(keys=keys):
                named |= {key for key in keys if key is not None}
            case ast.Subscript(slice=key):
                named.add(key)
            case ast.Compare(left=left, comparators=others):
                named |= {left, *others}
            case ast.MatchValue(value=value):
                named.add(value)
            case ast.Call(func=made) if ast.unparse(made) in APART:
                named |= set(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in named and _TOGETHER.search(str(node.value)):
            yield node.value


def looked_at() -> Iterator[str]:
    """Yield what tables look at: names of situations, which nobody reads."""
    for row in (row for table in tables().values() for row in table):
        for wanted in row.get("when", {}).values():
            yield from wanted if isinstance(wanted, list) else [wanted]


@pytest.mark.parametrize("name", WORDLESS)
def test_no_sentence_is_in_python(name: str) -> None:
    known = {*catalogue(), *tables(), *looked_at()}
    texts = texts_in(parsed(sources()[f"{name.replace('.', '/')}.py"]))
    assert [text for text in texts if text not in known] == []


@pytest.mark.parametrize("text", ["the rule", " and ", "costs: {}\n", "so "])
def test_a_sentence_in_python_would_be_noticed(text: str) -> None:
    assert [*texts_in(ast.parse(f"def f(x): return f'{{x}}' + {text!r}"))] == [text]


def test_an_error_says_what_is_wrong_in_python() -> None:
    texts = texts_in(ast.parse("raise ValueError(f'the {x} is not') from told('the rule')"))
    assert [*texts] == ["the rule"]


@pytest.mark.long
@pytest.mark.parametrize("text", ["`the rule ${x}`", "`${x} is best`", '" and " + x', '"so very few"'])
def test_a_sentence_in_scripts_would_be_noticed(text: str) -> None:
    """Scripts are looked at by a rule of ``page/eslint.config.js``."""
    command = ["npx", "--no-install", "eslint", "--stdin", "--stdin-filename", "src/none.js"]
    script = f"export const f = (x) => [x, {text}];\n"
    found = subprocess.run(
        command, check=False, input=script, cwd=ROOT / "page", capture_output=True, text=True
    )
    assert found.returncode == 1
    assert found.stdout.count("belongs to the catalogue") == 1


# Modules of those who show things, and what they look for patterns in: never in what a condition or an error says.
PATTERNS = {
    "cli.declared": "what is typed",
    "cli.goals": "what is typed for several classes",
    "cli.sql": "what is typed for a place in a database",
    "report.glossary": "words of the page that have an explanation",
    "report.html": "scripts and styles, to make them shorter",
    "report.multiclass_facts": "names of classes, as a shell wants them quoted",
    "report.text": "names that are written from right to left",
}


def test_no_pattern_runs_over_sentences() -> None:
    using = set()
    for name, source in sources().items():
        if name.startswith(("report/", "cli/", "conditions/")):
            imports = {
                alias.name for node in nodes(source) if isinstance(node, ast.Import) for alias in node.names
            }
            if "re" in imports:
                using.add(name.removesuffix(".py").replace("/", "."))
    assert using <= set(PATTERNS)


def test_no_fact_is_compared_with_a_sentence() -> None:
    words = {
        text
        for found in catalogue().values()
        for text in ([found] if isinstance(found, str) else found.values())
    }
    words = {text for text in words if " " in text and "{" not in text} - set(keys_of())
    for name, source in sources().items():
        for node in nodes(source):
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
                told = {
                    part.value
                    for part in parts
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
                assert not told & words, f"{name} compares with what a reader is told"
