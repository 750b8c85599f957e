"""Make ``src/rochull/datasets/data/adult_scores.parquet``: five classifiers' out-of-fold scores on Adult.

Run ``python scripts/make_adult_scores.py`` from anywhere: under a minute on one core, with scikit-learn,
pandas and DuckDB. Two runs with the same library versions write the same bytes; other versions may move a
score in its last digits.

Every score is out of fold: ten stratified folds from one fixed seed, and the whole pipeline, encoders and
bins included, is fitted on the nine other folds only. Scores are ``predict_proba`` of '>50K', rounded to
float32.
Settings are plain ones, chosen for simplicity and area under the curve, never for a place on the convex hull:
there the boosted trees own nearly everything under every setting tried, and that is what the file shows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
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
LABEL, POSITIVE = "income", ">50K"

# Not inputs: fnlwgt (a survey weight), education (education_num says the same, in order) and split.
NUMERIC = ["age", "education_num", "hours_per_week"]
MONEY = ["capital_gain", "capital_loss"]
CATEGORICAL = ["workclass", "marital_status", "occupation", "relationship", "race", "sex", "native_country"]

# Kept beside the scores: what a segment, a filter or an auxiliary feature needs.
KEPT = [
    "age",
    "workclass",
    "education",
    "education_num",
    "occupation",
    "race",
    "sex",
    "hours_per_week",
    "native_country",
]


def one_hot() -> OneHotEncoder:
    """Categories as indicators; a missing value is a category, one unseen in training is all zeros."""
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def scaled() -> ColumnTransformer:
    """Numbers to unit variance, categories as indicators: for logistic regression and k-NN."""
    return ColumnTransformer(
        [("numeric", StandardScaler(), NUMERIC + MONEY), ("categorical", one_hot(), CATEGORICAL)]
    )


def binned() -> ColumnTransformer:
    """Everything as indicators: for naive Bayes.

    The bins come from k-means, money's on a log scale: nine people in ten have no capital gain, so that
    quantile bins would collapse into one.
    """
    bins = KBinsDiscretizer(10, encode="onehot-dense", strategy="kmeans", random_state=SEED)
    money = make_pipeline(FunctionTransformer(np.log1p), bins)
    return ColumnTransformer(
        [("numeric", bins, NUMERIC), ("money", money, MONEY), ("categorical", one_hot(), CATEGORICAL)]
    )


def coded() -> ColumnTransformer:
    """Categories as codes, missing and unseen ones as NaN: for the two tree methods."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return ColumnTransformer(
        [("categorical", codes, CATEGORICAL), ("numeric", "passthrough", NUMERIC + MONEY)]
    )


def naive_bayes() -> Pipeline:
    """On indicators of disjoint groups the multinomial model is the categorical one, per group."""
    return make_pipeline(binned(), MultinomialNB())


def logistic() -> Pipeline:
    """Logistic regression with scikit-learn's default ridge penalty."""
    return make_pipeline(scaled(), LogisticRegression(max_iter=1000))


def knn() -> Pipeline:
    """The share of positives among 50 neighbours: at most 51 distinct scores, so heavy ties."""
    return make_pipeline(scaled(), KNeighborsClassifier(n_neighbors=50, algorithm="brute"))


def tree() -> Pipeline:
    """One tree whose leaves hold at least 50 examples, which keeps most leaf frequencies off 0 and 1."""
    return make_pipeline(coded(), DecisionTreeClassifier(min_samples_leaf=50, random_state=SEED))


def boosted() -> Pipeline:
    """Histogram gradient boosting that knows which columns are categories."""
    categories = list(range(len(CATEGORICAL)))
    model = HistGradientBoostingClassifier(
        max_iter=200, categorical_features=categories, early_stopping=False, random_state=SEED
    )
    return make_pipeline(coded(), model)


CLASSIFIERS: dict[str, Callable[[], Pipeline]] = {
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


def make_scores(adult: pd.DataFrame) -> pd.DataFrame:
    """The fold of every row and the five scores, in the rows' order."""
    X, y = adult[CATEGORICAL + NUMERIC + MONEY], (adult[LABEL] == POSITIVE).to_numpy(dtype=bool)
    fold = np.empty(len(y), dtype=np.int8)
    for k, (_, test) in enumerate(StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED).split(X, y)):
        fold[test] = k
    columns: dict[str, NDArray[np.int8] | NDArray[np.float32]] = {"fold": fold}
    for name, make in CLASSIFIERS.items():
        start = perf_counter()
        columns[name] = out_of_fold(make, X, y, fold)
        print(
            f"{name:12} AUC {roc_auc_score(y, columns[name]):.4f}  {perf_counter() - start:5.1f} s",
            flush=True,
        )
    return pd.DataFrame(columns)


def main() -> None:
    """Read Adult, score it, write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=DATA / "adult_scores.parquet")
    output: Path = parser.parse_args().output
    source = str(DATA / "adult.parquet")
    with duckdb.connect() as connection, threadpool_limits(1):
        connection.execute(
            "SET threads = 1"
        )  # one thread: row order and file bytes do not depend on the machine
        scores = make_scores(connection.execute("FROM read_parquet(?)", [source]).df())
        connection.register("scores", scores)
        kept = ", ".join([*KEPT, LABEL])
        # Labels and auxiliary columns go from file to file, so that pandas cannot change a type or a null.
        connection.execute(
            f"COPY (SELECT {kept}, scores.* FROM read_parquet($source) POSITIONAL JOIN scores) "
            "TO $output (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19)",
            {"source": source, "output": str(output)},
        )
    print(f"{output}: {output.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
