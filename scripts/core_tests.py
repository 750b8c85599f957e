"""Print the test files that need no extra: they import none of the optional libraries, and use no data set.

What a file imports from `tests/support` counts as its own. Every wing that does without extras must be there.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
LIBRARIES = "duckdb|jinja2|jsonschema|matplotlib|playwright|polars|psycopg|pyarrow|pyspark|rich|sqlglot|typer"
NEEDS = re.compile(
    rf"^\s*(?:import|from) (?:{LIBRARIES})\b"
    r"|\b_core\.table_files\b|\bdatasets\.(?:load|path)\b|\bframe_module\b|\bto_sql\b|\bto_html\b|\bto_text\b|\brh\.Report\b",
    re.MULTILINE,
)
IMPORTS = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
# Wings whose tests all need some.
WITH_EXTRAS = {"cli", "datasets", "dialects", "estimators", "plotting", "report"}


def needs_extra(path: Path) -> bool:
    """Return whether a file, or what it imports from the support of the tests, needs an extra.

    The conftest.py beside it counts, too.
    """
    text = path.read_text(encoding="utf-8")
    own = [TESTS / "support" / f"{name}.py" for name in IMPORTS.findall(text)]
    if path.name.startswith("test_") and path.parent != TESTS:
        own.append(path.with_name("conftest.py"))
    return bool(NEEDS.search(text)) or any(needs_extra(other) for other in own if other.exists())


def main() -> int:
    """Print the files; 1 if a wing has none."""
    wings = {path.name for path in (ROOT / "src/rochull").iterdir() if (path / "__init__.py").exists()}
    files = [path for wing in sorted(wings) for path in sorted((TESTS / wing).rglob("test_*.py"))]
    files = [path for path in files if not needs_extra(path)] + [TESTS / "test_import.py"]
    covered = {path.relative_to(TESTS).parts[0] for path in files}
    if covered >= wings - WITH_EXTRAS:
        print(*(path.relative_to(ROOT) for path in files), sep="\n")
        return 0
    print(
        f"no test of {', '.join(sorted(wings - WITH_EXTRAS - covered))} does without extras.", file=sys.stderr
    )
    return 1


sys.exit(main())
