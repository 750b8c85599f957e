"""Check the subjects of commits: "area: what changes", at most 72 characters, one concern.

Usage: python scripts/check_commits.py [REPOSITORY]

Those before the rule are not looked at. Without a history (a source archive, a shallow clone) there is
nothing to check.
"""

import re
import subprocess
import sys
from pathlib import Path

SINCE = "09aaed4ac7bfb6b96609f9802c609d065f82dbf3"  # the last commit before the rule
SUBJECT = re.compile(r"[\w.`][^:;\s]*(?:(?:,| and)? [\w.`][^:;\s]*){0,3}: \S[^;]*[^;.\s]")
MERGE = re.compile(r"Merge branch '([^']+)'(?: into \S+)?|Merge pull request #\d+ from [^/\s]+/(\S+)")
NAMELESS = re.compile(r"main|master|HEAD|dev|wip|work|tmp|temp|patch-?\d*|[0-9a-f-]{7,}")
TRIAL = re.compile(r"Merge [0-9a-f]{40} into [0-9a-f]{40}")  # what a server makes to test a request


def complaint(subject: str, merges: bool = False) -> str:
    """Return what is wrong with a subject, or nothing."""
    if TRIAL.fullmatch(subject) and merges:
        return ""
    if len(subject) > 72:
        return f"{len(subject)} characters, of which 72 are allowed"
    if merges and named(subject):
        return ""
    if ";" in subject:
        return "two concerns: make two commits"
    if not SUBJECT.fullmatch(subject):
        return 'neither "area: what changes" nor the merge of a branch with a name'
    return ""


def named(subject: str) -> bool:
    """Tell whether a merge's subject names a branch that says what it brings."""
    found = MERGE.fullmatch(subject)
    return bool(found) and not NAMELESS.fullmatch(found[1] or found[2])


def main() -> int:
    """Print what is wrong and return the exit status."""
    root = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).resolve().parent.parent
    # A checkout may belong to another user than the one who runs this.
    git = ["git", "-c", "safe.directory=*", "-C", str(root)]
    try:
        since = subprocess.run(
            [*git, "merge-base", "--is-ancestor", SINCE, "HEAD"], check=False, capture_output=True
        )
    except FileNotFoundError:
        return 0
    if since.returncode:
        return 0
    command = [*git, "log", "--format=%H%x09%p%x09%s", f"{SINCE}..HEAD"]
    log = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    wrong = 0
    for line in log.splitlines():
        commit, parents, subject = line.split("\t", 2)
        if found := complaint(subject, " " in parents):
            wrong += 1
            print(f"{commit[:10]} {subject!r}: {found} (see CONTRIBUTING.md, Commits)")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
