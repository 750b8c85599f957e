#!/usr/bin/env bash
# The built wheel in environments of its own, which the checkout's .venv could hide mistakes from:
#   core     what `pip install rochull` brings, and pandas: all tests that need no extra
#   lowest   every library in the lowest version that pyproject.toml allows: one smoke run over everything,
#            and SQL over files, whose meaning depends on the version of DuckDB
#   newest   every library in its newest version: the same smoke run
# Without arguments all three; PYTHON names the interpreter, python3.11 being the oldest that is allowed, and DIST an
# empty directory in which the wheel and the source archive stay.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
python="${PYTHON:-$(command -v python3.11 || command -v python3)}"
export PIP_DISABLE_PIP_VERSION_CHECK=1
# Nor PYTHONDONTWRITEBYTECODE: each process would compile all that it imports anew.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

environment() { # name, then what pip is to install
    local name="$1"
    shift
    echo "==> Installing the $name environment"
    "$python" -m venv "$scratch/$name"
    "$scratch/$name/bin/python" -m pip install --quiet --no-compile "$@"  # half of the time: Python compiles what it imports
}

# The wheel is made from the source archive, so that what is installed below has come through both.
environment build build
dist="${DIST:-$scratch/dist}"
"$scratch/build/bin/python" -m build --outdir "$dist" "$root" >"$scratch/build.log" 2>&1 || {
    cat "$scratch/build.log" >&2
    exit 1
}
wheel="$(echo "$dist"/rochull-*.whl)"
"$python" "$root/scripts/check_wheel.py" "$wheel"

[ $# -gt 0 ] || set -- core lowest newest
for name in "$@"; do
    case "$name" in
    core)
        environment core "$wheel" "pytest>=9.2,<9.3" "pytest-xdist>=3.8,<3.9" "hypothesis>=6.170,<7" "pandas>=2.2"
        "$python" "$root/scripts/core_tests.py" >"$scratch/core_tests"
        # What is asked is whether an extra is missed: so a quick run, also in CI, which has tried all of it before.
        (cd "$root" && "$scratch/core/bin/python" -m pytest -q -p no:cacheprovider -n 2 --dist loadfile \
            "--hypothesis-profile=quick${CI:+-ci}" -m "not long" $(cat "$scratch/core_tests"))
        ;;
    lowest)
        "$python" "$root/scripts/lowest_versions.py" >"$scratch/lowest.txt"
        environment lowest --constraint "$scratch/lowest.txt" "rochull[all] @ file://$wheel" \
            "pytest>=9.2,<9.3" "hypothesis>=6.170,<7" "polars>=1.0"
        (cd "$scratch" && lowest/bin/python "$root/scripts/smoke.py")
        (cd "$root" && "$scratch/lowest/bin/python" -m pytest -q -p no:cacheprovider -m "not long" \
            -W default::DeprecationWarning tests/policies/test_sql_files.py)
        ;;
    newest)
        environment newest "rochull[all] @ file://$wheel"
        (cd "$scratch" && newest/bin/python "$root/scripts/smoke.py")
        ;;
    *)
        echo "$name is none of core, lowest, newest." >&2
        exit 2
        ;;
    esac
done
