"""rochull: from classifier scores to decisions that stay right when costs, class priors and capacity change.

Arrays come first: ``(y_true, y_score)``, higher scores being more positive. Which object is for what:

One classifier
    roc_curve, roc_auc                    the raw curve and its area
    roc_hull, RocHull                     the convex hull, which is PAV calibration: vertices, blocks, ``at``
    roc_hulls, GroupHulls                 the hulls of many groups of rows at once
    ChunkSource, concatenate              the same from chunks, or from consecutive ranges of scores
    scan                                  tables past memory: files, DuckDB, Spark

What a decision maker wants (conditions)
    ExpectedCost, Accuracy                costs and a prevalence, each a number, an interval or a distribution
    NeymanPearson, MinimumRecall, MinimumPrecision, Capacity
                                          limits on a rate, a precision, a number of cases
    Within                                a goal within several limits at once, made of measures:
    FalsePositiveRate, Recall, Precision, AlarmRate
    Review, GreyZone                      a third action: a case may be passed on to a reviewer
    Youden, BalancedAccuracy, FBeta, MCC  what is known by name
    ClosestTopLeft, EqualErrorRate   points that other programs take
    Utility, Constrained                  any function of the two rates, alone or within a limit
    decide_by_llr, decide_by_posterior    Bayes decisions from calibrated values

Several classifiers
    Hybrid                                the hull of all: who is optimal where, regret, what can be left out
    union                                 the same of hulls that are there already
    RocchClassifier                       a hybrid as a scikit-learn classifier
    cost_scorer                           a cost, or recall within a limit, as ``scoring=`` of scikit-learn
    Cascade, CascadeClassifier            a later classifier is asked only where it pays
    constrain_groups                      rates that must be alike in groups

To deploy
    Policy                                rules as JSON that decide under a condition given late; SQL
    Knob                                  one number that feedback turns
    Monitor                               whether a deployed rule should move, at every look
    estimate_prevalence                   the share of positives among new cases

Calibration
    PavCalibrator, LogisticCalibrator, BetaCalibrator, LogisticFusion, VennAbers,
    load_calibrator
    ConcavityRepair                       a ranking mended where it is inverted

How good scores are
    cllr, min_cllr, eer, dcf, min_dcf, h_measure
    precision_recall_curve, average_precision
    decision_curve                        net benefit against the threshold probability
    decompose                             what calibration could repair, and what it could not
    ScoringRule, Brier, LogScore, CostWeighted, BetaScore

How sure a number is
    auc_interval, rate_interval, delong_test, bootstrap, roc_band
    optimism                              what a chosen rule keeps on cases that did not choose it
    operating_point_average, cross_validate_roc
                                          operating points over folds, with tests

Thresholds that depend on other features
    ErrorRedistribution, ErrorRedistributionClassifier, rank_auxiliary_features, stratify

More than two classes
    MulticlassRoc                         weights as operating points; more in ``rochull.multiclass``

To show
    Report                                one page that moves with the condition
    rochull.plotting                      displays

What is raised besides ValueError
    InfeasibleConditionError, ImpreciseConditionError, PolicyError

What can be filtered besides UserWarning
    MisfitWarning                         a batch is not what a policy was made from

What is needed less often lives in the wing where it belongs: ``rochull.scoring``, ``rochull.uncertainty``,
``rochull.estimators`` and so on; ``rochull.datasets`` has data to try it on. Names are loaded when they are
first used, so that ``import rochull`` costs next to nothing; they are listed in the stub beside this file.
"""

from rochull._core.front_door import front_door
from rochull._core.version import __version__ as __version__

__getattr__, __dir__ = front_door(globals())
