#!/usr/bin/env bash
# Run the tests that failed once more, alone: what passes then is unstable and does not fail a run, unless there are
# more than three of them.
# Usage: scripts/once_more.sh FAILED UNSTABLE [option of pytest ...]
# FAILED lists the tests, as pytest's --failed=FILE of conftest.py writes them; those that pass are written to UNSTABLE.
set -euo pipefail
failed="$1" unstable="$2"
shift 2
most=3

if ! [ -s "$failed" ]; then
    echo "The run failed, but no test did: see above." >&2
    exit 1
fi
if [ "$(wc -l <"$failed")" -gt 20 ]; then
    echo "$(wc -l <"$failed") tests failed, which are too many to be run once more." >&2
    exit 1
fi
still="$(mktemp)"
trap 'rm -f "$still"' EXIT
ended=0
.venv/bin/python -m pytest "--failed=$still" "$@" "@$failed" || ended=$?
case "$ended" in
0 | 1) grep -vxFf "$still" "$failed" >"$unstable" || true ;;
*) exit "$ended" ;; # they were not run
esac
[ "$ended" -eq 0 ] || exit "$ended"
if [ "$(wc -l <"$unstable")" -gt "$most" ]; then
    echo "$(wc -l <"$unstable") tests are unstable, of which $most are allowed." >&2
    exit 1
fi
