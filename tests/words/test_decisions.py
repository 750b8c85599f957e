"""Tables that choose messages: what each vector says, and that every row of the catalogue's can be reached."""

import json
from pathlib import Path
from typing import Any

import pytest

from rochull.words.decisions import chosen, tables

VECTORS = json.loads((Path(__file__).parent / "decisions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("given", VECTORS, ids=range(len(VECTORS)))
def test_what_is_chosen(given: dict[str, Any]) -> None:
    assert chosen(given["table"], given["state"]) == given["say"]


def first(wanted: Any) -> Any:
    return wanted[0] if isinstance(wanted, list) else wanted


@pytest.mark.parametrize("name", tables())
def test_every_row_is_reached_by_what_it_asks(name: str) -> None:
    table = tables()[name]
    for i, row in enumerate(table):
        state = {key: first(wanted) for key, wanted in row.get("when", {}).items()}
        before = [each for each in table[:i] if chosen([each], state) == each["say"] and "when" in each]
        asked = {key for each in before for key, wanted in each["when"].items() if wanted is None}
        state |= dict.fromkeys(asked - set(row.get("when", {})), "something")
        assert chosen(table, state) == row["say"], f"row {i} of {name} is never reached"


def test_a_condition_is_of_names_that_are_never_slots_of_another_kind() -> None:
    """What a table asks for is a word or missing, so that both languages compare alike."""
    for table in tables().values():
        for row in table:
            assert set(row) <= {"when", "say"}
            for wanted in row.get("when", {}).values():
                for each in wanted if isinstance(wanted, list) else [wanted]:
                    assert each is None or isinstance(each, str)
