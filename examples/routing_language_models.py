"""A weak and a strong language model: which questions are worth the dear call? (RouteLLM's MMLU and GSM8K)
==============================================================================================================

`rh.datasets.load("routellm")` says of 15,344 questions whether Mixtral 8x7B and GPT-4 answer them right
(from RouteLLM, lm-sys/RouteLLM; Ong et al. 2024). A router scores a question before anybody answers it; the
strong model is called from some score on. A call is worth its gain: 1 where the strong model alone is
right, -1 where the weak one alone is, else 0. `rh.cascades.route` gives the exact frontier of right answers
against calls, which is the hull of an ROC curve on which each question counts as two examples.

The routers here know a question's length, its digits and its subject, nothing else, and are trained out of
fold. Thresholds are chosen on one half of the questions, and quality is measured on the other half::

    calls     random    length   subject     trees    oracle
    10%        68.6%     69.1%     70.6%     70.9%     77.0%
    20%        69.9%     70.7%     72.8%     73.2%     85.9%
    30%        71.2%     72.7%     74.9%     74.9%     85.9%
    50%        73.8%     75.7%     77.2%     77.3%     85.9%
    70%        76.4%     77.8%     78.8%     79.1%     85.9%

The weak model alone is right in 67.3 %, the strong one in 80.3 %. With half of the calls, a router that
knows the subject alone recovers three quarters of the difference.

"Oracle" calls where the gain is known. Run it::

    python examples/routing_language_models.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MultipleLocator, PercentFormatter
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold

import rochull as rh

CALLS = [0.1, 0.2, 0.3, 0.5, 0.7]
table = rh.datasets.load("routellm")
gain = table["strong"].astype(int) - table["weak"]
subject = np.unique(table["subject"], return_inverse=True)[1].ravel()
features = np.column_stack([subject, table["characters"], table["digits"]])


def by_subject(train, new):
    """The mean gain of the subject, with twenty questions like those of all added."""
    mean = gain[train].mean()
    total = np.bincount(subject[train], gain[train], subject.max() + 1)
    count = np.bincount(subject[train], minlength=subject.max() + 1)
    return ((total + 20 * mean) / (count + 20))[subject[new]]


def by_trees(train, new):
    trees = HistGradientBoostingRegressor(
        max_iter=40, max_leaf_nodes=8, categorical_features=[0], random_state=0
    )
    return trees.fit(features[train], gain[train]).predict(features[new])


def out_of_fold(router):
    scores = np.empty(gain.size)
    for train, new in KFold(5, shuffle=True, random_state=0).split(gain):
        scores[new] = router(train, new)
    return scores


def frontier(scores, rows, price=0.0):
    return rh.cascades.route(scores[rows], table["weak"][rows], table["strong"][rows], price=price)


routers = {
    "length": table["characters"].astype(float),
    "subject": out_of_fold(by_subject),
    "trees": out_of_fold(by_trees),
    "oracle": gain.astype(float),
}
half = np.random.default_rng(0).permutation(gain.size) % 2 == 0
weak, strong = table["weak"][~half].mean(), table["strong"][~half].mean()
print(
    f"weak model alone {weak:.1%} right, strong model alone {strong:.1%}; {(~half).sum()} questions held out"
)
print("calls     " + "".join(f"{name:>10}" for name in ["random", *routers]))
found = {}
for calls in CALLS:
    cells = [weak + calls * (strong - weak)]
    for name, scores in routers.items():
        policy = frontier(scores, half).policy()
        share = rh.Capacity(fraction=calls, prevalence=policy.hull.prevalence)
        asked = policy.decide(scores[~half], share, random_state=0)
        cells.append(weak + (gain[~half] * asked).mean())
        found.setdefault(name, []).append((asked.mean(), cells[-1]))
    print(f"{calls:<10.0%}" + "".join(f"{cell:>10.1%}" for cell in cells))

# A price: a call for 0.15 right answers. The point where calls stop to pay, held out.
price = 0.15
asked = routers["trees"][~half] >= frontier(routers["trees"], half, price).at().threshold
net = (gain[~half] * asked).mean() - price * asked.mean()
every = strong - weak - price
print(f"a call costs {price} right answers: {asked.mean():.0%} asked, net {net:+.3f}; all asked {every:+.3f}")

figure, ax = plt.subplots(figsize=(8, 5.5), layout="constrained")
for name, scores in routers.items():
    held_out = frontier(scores, ~half)
    (line,) = ax.plot(held_out.calls, held_out.right, label=name)
    ax.plot(*zip(*found[name], strict=True), "o", color=line.get_color())
ax.plot([0, 1], [weak, strong], "--", color="gray", label="random")
ax.set(
    xlabel="share of the questions for which the strong model is called", ylabel="right answers",
    title="Frontiers of held-out questions (lines), thresholds from the other half (dots)",
)  # fmt: skip
ax.yaxis.set_major_locator(MultipleLocator(0.05))
for axis in (ax.xaxis, ax.yaxis):
    axis.set_major_formatter(PercentFormatter(1, 0, symbol=" %"))
ax.legend(frameon=False)
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "routing_language_models.png", dpi=80)
print(f"picture: {directory / 'routing_language_models.png'}")
