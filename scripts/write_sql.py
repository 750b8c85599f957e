"""Keep the texts of SQL around thresholds and names, which pages fill in: sqlglot takes long to load.

    python scripts/write_sql.py

A test fails where a dialect writes something else than what is kept.
"""

import json
from pathlib import Path

from rochull.dialects.registry import dialects
from rochull.report.deploy import texts_around

PLACE = Path(__file__).parent.parent / "src" / "rochull" / "report" / "templates" / "sql.json"


def kept() -> str:
    """Write what is to be kept: a line for each text."""
    texts = {name: texts_around(dialect) for name, dialect in dialects().items()}
    return json.dumps(texts, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    PLACE.write_text(kept(), encoding="utf-8")
