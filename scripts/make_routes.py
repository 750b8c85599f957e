"""Make ``routellm.parquet``, which questions two language models answered right, from lm-sys/RouteLLM.

``python scripts/make_routes.py CLONE [OUTPUT]``. Questions that RouteLLM lists as contaminated are left out,
as in its own evaluation; the texts of questions and answers are not kept.
"""

import csv
import hashlib
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

WEAK, STRONG = "mistralai/Mixtral-8x7B-Instruct-v0.1", "gpt-4-1106-preview"
OUTPUT = Path(__file__).resolve().parent.parent / "src/rochull/datasets/data/routellm.parquet"


def rows(clone: Path) -> list[tuple[str, str, str, str, str]]:
    """Benchmark, subject, prompt, and whether the weak and the strong model are right, as written."""
    evals, found = clone / "routellm" / "evals", []
    files = {
        path.stem.removeprefix("mmlu_"): path for path in sorted((evals / "mmlu/responses").glob("*.csv"))
    }
    for benchmark, parts in (("mmlu", files), ("gsm8k", {"gsm8k": evals / "gsm8k/gsm8k_responses.csv"})):
        with (evals / benchmark / "contaminated_prompts.jsonl").open(encoding="utf-8") as lines:
            known = {json.loads(line)["eval_prompt"] for line in lines if line.strip()}
        for subject, path in parts.items():
            with path.open(encoding="utf-8", newline="") as file:
                found += [
                    (benchmark, subject, row["prompt"], row[WEAK], row[STRONG])
                    for row in csv.DictReader(file)
                    if row["prompt"] not in known
                ]
    return found


def table(found: list[tuple[str, str, str, str, str]]) -> pa.Table:
    """The columns that are shipped."""
    benchmark, subject, prompt, weak, strong = zip(*found, strict=True)
    digest = [hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:8] for text in prompt]
    return pa.table(
        {
            "benchmark": benchmark,
            "subject": subject,
            "question": pa.array([int(each, 16) for each in digest], pa.int64()),
            "characters": pa.array([len(text) for text in prompt], pa.int32()),
            "digits": pa.array([sum(c.isdigit() for c in text) for text in prompt], pa.int16()),
            "weak": pa.array([int(text == "True") for text in weak], pa.int8()),
            "strong": pa.array([int(text == "True") for text in strong], pa.int8()),
        }
    )


def main() -> None:
    csv.field_size_limit(1 << 30)
    made = table(rows(Path(sys.argv[1])))
    path = Path(sys.argv[2]) if len(sys.argv) > 2 else OUTPUT
    pq.write_table(
        made, path, compression="zstd", compression_level=19, use_dictionary=["benchmark", "subject"]
    )
    print(f"{path}: {made.num_rows} questions, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
