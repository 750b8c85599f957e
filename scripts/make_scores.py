"""Make the scored examples of ``src/rochull/datasets/data``: five classifiers' out-of-fold scores.

``adult_scores.parquet`` comes from ``adult.parquet``, ``german_credit_scores.parquet`` from
``german_credit.parquet``.

Run ``python scripts/make_scores.py`` from anywhere: about a minute on one core, with scikit-learn, pandas and
DuckDB. Two runs with the same library versions write the same bytes; other versions may move a score in its
last digits.

Every score is out of fold: ten stratified folds from one fixed seed, and the whole pipeline, encoders and
bins included, is fitted on the nine other folds only. Scores are ``predict_proba`` of the positive class,
rounded to float32.
Settings are plain ones: on Adult chosen for simplicity and area under the curve, on German Credit the same
but for three smaller sizes. None was chosen for a place on the convex hull. On Adult the boosted trees own
nearly all of it under every setting tried, and that is what the file shows. German Credit is here because
several classifiers share its hull: the data set was chosen for that, the settings were not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

DATA = Path(__file__).resolve().parents[1] / "src" / "rochull" / "datasets" / "data"
SEED = 0
N_FOLDS = 10


@dataclass(frozen=True)
class Example:
    """A data set, what its columns are, and the three settings that depend on its size."""

    source: str
    label: str
    positive: str
    numeric: list[str]
    money: list[str]  # numbers to be seen on a log scale
    counts: list[str]  # numbers with so few values that each is its own bin
    categorical: list[str]
    kept: list[str]  # beside the scores: what a segment, a filter or an auxiliary feature needs
    neighbours: int
    leaf: int  # the fewest rows in a leaf of the single tree
    rounds: int  # of boosting

    @property
    def inputs(self) -> list[str]:
        """The columns that the classifiers see."""
        return self.categorical + self.numeric + self.money + self.counts


# Not inputs: fnlwgt (a survey weight), education (education_num says the same, in order) and split.
ADULT = Example(
    source="adult",
    label="income",
    positive=">50K",
    numeric=["age", "education_num", "hours_per_week"],
    money=["capital_gain", "capital_loss"],
    counts=[],
    categorical=[
        "workclass",
        "marital_status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "native_country",
    ],
    kept=[
        "age",
        "workclass",
        "education",
        "education_num",
        "occupation",
        "race",
        "sex",
        "hours_per_week",
        "native_country",
    ],
    neighbours=50,
    leaf=50,
    rounds=200,
)

# Of a thousand rows the square root as neighbours and a hundredth in a leaf; scikit-learn's default rounds.
GERMAN_CREDIT = Example(
    source="german_credit",
    label="class",
    positive="bad",
    numeric=["duration", "age"],
    money=["credit_amount"],
    counts=["installment_commitment", "residence_since", "existing_credits", "num_dependents"],
    categorical=[
        "checking_status",
        "credit_history",
        "purpose",
        "savings_status",
        "employment",
        "personal_status",
        "other_parties",
        "property_magnitude",
        "other_payment_plans",
        "housing",
        "job",
        "own_telephone",
        "foreign_worker",
    ],
    kept=[
        "checking_status",
        "duration",
        "purpose",
        "credit_amount",
        "employment",
        "personal_status",
        "age",
        "housing",
        "job",
        "foreign_worker",
    ],
    neighbours=31,
    leaf=10,
    rounds=100,
)


def one_hot() -> OneHotEncoder:
    """Categories as indicators; a missing value is a category, one unseen in training is all zeros."""
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def scaled(example: Example) -> ColumnTransformer:
    """Numbers to unit variance, categories as indicators: for logistic regression and k-NN."""
    numbers = example.numeric + example.money + example.counts
    return ColumnTransformer(
        [("numeric", StandardScaler(), numbers), ("categorical", one_hot(), example.categorical)]
    )


def binned(example: Example) -> ColumnTransformer:
    """Everything as indicators: for naive Bayes.

    The bins come from k-means, money's on a log scale: on Adult nine people in ten have no capital gain, so
    that quantile bins would collapse into one.
    """
    bins = KBinsDiscretizer(10, encode="onehot-dense", strategy="kmeans", random_state=SEED)
    money = make_pipeline(FunctionTransformer(np.log1p), bins)
    return ColumnTransformer(
        [
            ("numeric", bins, example.numeric),
            ("money", money, example.money),
            ("categorical", one_hot(), example.categorical + example.counts),
        ]
    )


def coded(example: Example) -> ColumnTransformer:
    """Categories as codes, missing and unseen ones as NaN: for the two tree methods."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    numbers = example.numeric + example.money + example.counts
    return ColumnTransformer(
        [("categorical", codes, example.categorical), ("numeric", "passthrough", numbers)]
    )


def naive_bayes(example: Example) -> Pipeline:
    """On indicators of disjoint groups the multinomial model is the categorical one, per group."""
    return make_pipeline(binned(example), MultinomialNB())


def logistic(example: Example) -> Pipeline:
    """Logistic regression with scikit-learn's default ridge penalty."""
    return make_pipeline(scaled(example), LogisticRegression(max_iter=1000))


def knn(example: Example) -> Pipeline:
    """The share of positives among k neighbours: at most k + 1 distinct scores, so heavy ties."""
    return make_pipeline(scaled(example), KNeighborsClassifier(example.neighbours, algorithm="brute"))


def tree(example: Example) -> Pipeline:
    """One tree whose leaves are large, which keeps most leaf frequencies off 0 and 1."""
    return make_pipeline(
        coded(example), DecisionTreeClassifier(min_samples_leaf=example.leaf, random_state=SEED)
    )


def boosted(example: Example) -> Pipeline:
    """Histogram gradient boosting that knows which columns are categories."""
    categories = list(range(len(example.categorical)))
    model = HistGradientBoostingClassifier(
        max_iter=example.rounds, categorical_features=categories, early_stopping=False, random_state=SEED
    )
    return make_pipeline(coded(example), model)


CLASSIFIERS: dict[str, Callable[[Example], Pipeline]] = {
    "naive_bayes": naive_bayes,
    "logistic": logistic,
    "knn": knn,
    "tree": tree,
    "boosted": boosted,
}


def out_of_fold(
    make: Callable[[], Pipeline], X: pd.DataFrame, y: NDArray[np.bool_], fold: NDArray[np.int8]
) -> NDArray[np.float32]:
    """Score every row with a pipeline fitted on the other folds."""
    scores = np.full(len(y), np.nan, dtype=np.float32)
    for k in range(N_FOLDS):
        test = fold == k
        model = make().fit(X[~test], y[~test])
        scores[test] = model.predict_proba(X[test])[:, 1]
    return scores


def make_scores(example: Example, table: pd.DataFrame) -> pd.DataFrame:
    """The fold of every row and the five scores, in the rows' order."""
    X, y = table[example.inputs], (table[example.label] == example.positive).to_numpy(dtype=bool)
    fold = np.empty(len(y), dtype=np.int8)
    for k, (_, test) in enumerate(StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED).split(X, y)):
        fold[test] = k
    columns: dict[str, NDArray[np.int8] | NDArray[np.float32]] = {"fold": fold}
    for name, make in CLASSIFIERS.items():
        start = perf_counter()
        columns[name] = out_of_fold(partial(make, example), X, y, fold)
        print(
            f"{name:12} AUC {roc_auc_score(y, columns[name]):.4f}  {perf_counter() - start:5.1f} s",
            flush=True,
        )
    return pd.DataFrame(columns)


def write(example: Example, output: Path) -> None:
    """Read the data set, score it, write the table."""
    source = str(DATA / f"{example.source}.parquet")
    with duckdb.connect() as connection:
        # One thread: row order and file bytes do not depend on the machine.
        connection.execute("SET threads = 1")
        scores = make_scores(example, connection.execute("FROM read_parquet(?)", [source]).df())
        connection.register("scores", scores)
        kept = ", ".join(f'"{column}"' for column in [*example.kept, example.label])
        # Labels and auxiliary columns go from file to file, so that pandas cannot change a type or a null.
        connection.execute(
            f"COPY (SELECT {kept}, scores.* FROM read_parquet($source) POSITIONAL JOIN scores) "
            "TO $output (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19)",
            {"source": source, "output": str(output)},
        )
    print(f"{output}: {output.stat().st_size / 1e6:.2f} MB")


def main() -> None:
    """Write both examples."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=DATA, help="the folder to write into")
    folder: Path = parser.parse_args().output
    with threadpool_limits(1):
        for example in (ADULT, GERMAN_CREDIT):
            write(example, folder / f"{example.source}_scores.parquet")


if __name__ == "__main__":
    main()
