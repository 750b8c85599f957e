"""Check that a wheel holds every tracked file of the package: code, data sets, report templates, licences.

Usage: python scripts/check_wheel.py WHEEL
"""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIRED = {"rochull/py.typed", "rochull/datasets/data/adult_scores.parquet"}
LICENCES = {
    "LICENSE",
    "NOTICE",
    "src/rochull/report/templates/report.bundle.LICENSE",
    "src/rochull/datasets/data/ATTRIBUTION.md",
    "src/rochull/datasets/data/APACHE-2.0.txt",
}


def main() -> int:
    """Print what is missing and return the exit status."""
    wheel = Path(sys.argv[1])
    # A checkout may belong to another user than the one who runs this.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--", "src/rochull"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    tracked = {path.removeprefix("src/") for path in listing.split("\0") if path}
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    licences = {name.partition(".dist-info/licenses/")[2] for name in packed}
    missing = sorted((tracked | REQUIRED) - packed) + sorted(LICENCES - licences)
    for path in missing:
        print(f"{wheel.name}: lacks {path}")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(packed)} files, {len(missing)} missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
