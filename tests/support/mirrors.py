"""Where a module is tested that has no test file of its own name in the mirrored folder.

A file of tests, and after it the modules of `src/rochull` that are tested there: mostly steps of a larger thing
that are tested through it, by its public names.
"""

ELSEWHERE = {
    "cli/test_streams.py": ["_core/printable.py"],
    "report/test_answer.py": ["report/answer_state.py"],
    "plotting/test_regret.py": ["hull/drawing.py"],
    "hull/test_group_hulls.py": ["_core/kernels/group_hulls.py"],
    "_core/test_cards.py": ["hull/pictures.py", "report/card.py"],
    "report/test_derived.py": ["report/multiclass_derived.py"],
    "report/test_held_out.py": ["report/judged.py"],
    "test_import.py": ["_core/front_door.py", "_core/version.py"],
    "test_pure_python.py": ["_core/kernels/folds.py", "_core/kernels/ranks.py"],
    "averaging/test_operating_points.py": [
        "averaging/fold_rows.py", "averaging/fold_tables.py",
    ],
    "averaging/test_roc_average.py": ["averaging/fold_average.py", "averaging/fold_measures.py"],
    "calibration/test_base.py": ["calibration/columns.py"],
    "calibration/test_bounds.py": ["calibration/bound_names.py"],
    "calibration/test_calibrator_schema.py": ["calibration/kinds.py"],
    "calibration/test_parametric.py": ["calibration/logistic_fit.py"],
    "cli/test_calibrate.py": ["cli/calibrated.py", "cli/calibrated_columns.py"],
    "cli/test_app.py": ["cli/conditions.py", "cli/goals.py", "cli/options.py", "cli/report.py"],
    "cli/test_scale.py": ["cli/batch_counted.py", "cli/engine.py", "scanning/engines/duckdb_decide.py"],
    "conditions/test_conditions.py": [
        "conditions/base.py", "conditions/cost_spans.py", "conditions/costs.py", "conditions/objectives.py",
        "conditions/question.py", "conditions/spans.py", "conditions/vertices.py",
        "conditions/utilities.py",
    ],
    "conditions/test_clauses.py": ["conditions/said.py"],
    "conditions/test_limits.py": [
        "conditions/binomial_bound.py", "conditions/capacity.py", "conditions/error_rates.py",
        "conditions/precision.py",
    ],
    "conditions/test_within.py": ["conditions/door.py", "conditions/unmet.py"],
    "cli/test_decide.py": ["cli/decider.py", "cli/policies.py"],
    "cli/test_fixed.py": ["cli/kinds.py"],
    "cli/test_gate.py": ["cli/diff.py"],
    "cli/test_watch.py": ["cli/case_reader.py", "scanning/engines/duckdb_counts.py"],
    "conditions/test_review.py": [
        "conditions/bands.py", "conditions/review_ranges.py", "conditions/review_rules.py",
    ],
    "scoring/test_losses.py": ["scoring/one_class.py"],
    "conditions/test_profits.py": ["scoring/profits.py"],
    "decisions/test_batch_check.py": [
        "decisions/kinds.py", "decisions/looks.py", "decisions/promises.py", "decisions/guard.py",
    ],
    "datasets/test_datasets.py": ["datasets/papers.py"],
    "estimators/test_calibrated.py": ["estimators/out_of_fold.py"],
    "estimators/test_hybrid.py": [
        "estimators/conditions.py", "estimators/evaluation.py", "estimators/named.py", "estimators/nested.py",
        "estimators/training.py",
    ],
    "estimators/test_redistribution.py": ["estimators/aux_columns.py"],
    "policies/test_performance.py": ["policies/assessed.py"],
    "monitoring/test_monitor.py": [
        "monitoring/finding.py", "monitoring/monitor_schema.py", "monitoring/state.py",
    ],
    "groups/test_constraints.py": ["groups/rates.py"],
    "groups/test_group_policy.py": ["decisions/groups.py"],
    "groups/test_optimum.py": ["groups/linear_program.py"],
    "hull/test_hull.py": ["hull/point_hull.py"],
    "conditions/test_assured_review.py": ["hull/thresholds.py"],
    "hull/test_refine.py": ["hull/tasks.py"],
    "hybrid/test_regret.py": [
        "hybrid/mean_regret.py", "conditions/worst_case.py", "hull/minimax.py", "hull/ways.py",
    ],
    "multiclass/search/test_search.py": ["multiclass/search/coordinate.py", "multiclass/search/greedy.py"],
    "multiclass/test_calibration.py": ["multiclass/calibration_schema.py"],
    "multiclass/test_measures.py": ["multiclass/measure.py"],
    "multiclass/test_points.py": ["multiclass/inputs.py", "multiclass/point.py"],
    "plotting/test_contract.py": [
        "plotting/base.py", "plotting/decision_curve.py", "plotting/gain.py", "plotting/precision_recall.py",
        "plotting/review.py", "plotting/roc_hull.py",
    ],
    "plotting/test_displays.py": [
        "plotting/cost.py", "plotting/det.py", "plotting/prior.py", "plotting/reliability.py",
        "plotting/score_to_llr.py", "plotting/tippett.py",
    ],
    "plotting/test_multiclass.py": [
        "plotting/class_errors.py", "plotting/error_surface.py", "plotting/multiclass_confusion.py",
        "plotting/pairwise_errors.py",
    ],
    "plotting/test_segments.py": [
        "plotting/segment_gain.py", "plotting/segment_roc.py", "plotting/segment_thresholds.py",
        "plotting/segmented.py", "plotting/strips.py",
    ],
    "plotting/test_uncertainty.py": [
        "plotting/averaged.py", "plotting/consistency.py", "plotting/mean_roc.py",
        "plotting/roc_band.py",
        "plotting/significance.py", "plotting/threshold_spread.py",
    ],
    "words/test_formats.py": ["words/clauses.py"],
    "uncertainty/test_rates.py": ["uncertainty/parameters.py"],
    "policies/test_policy.py": ["policies/deployed.py", "policies/mixture.py"],
    "decisions/test_plans.py": [
        "decisions/any_policy.py", "decisions/decider.py", "decisions/deciding.py", "decisions/questions.py",
    ],
    "policies/test_saved_plan.py": ["decisions/plan_schema.py"],
    "segments/test_segment_schema.py": ["decisions/bins_schema.py"],
    "decisions/test_sql.py": [
        "dialects/base.py", "dialects/bigquery.py", "dialects/databricks.py",
        "dialects/duckdb.py", "dialects/postgres.py", "dialects/redshift.py",
        "dialects/categories.py", "dialects/registry.py", "dialects/snowflake.py",
        "dialects/spark.py",
    ],
    "policies/test_sql_translated.py": [
        "dialects/oracle.py", "dialects/truths.py", "dialects/tsql.py",
    ],
    "report/test_multiclass_baselines.py": ["report/multiclass_verdict.py"],
    "report/test_multiclass.py": [
        "report/multiclass_facts.py", "report/multiclass_html.py", "report/multiclass_text.py",
    ],
    "report/test_report.py": [
        "report/calibration.py", "report/facts.py", "report/html.py", "report/numbers/costs.py",
        "report/numbers/number.py", "report/numbers/shares.py", "report/robust.py", "report/text.py",
        "report/wording.py",
    ],
    "report/test_scanned.py": ["report/scanned_segments.py"],
    "report/test_verdict.py": ["report/data_wording.py"],
    "report/test_reviews.py": ["report/review_order.py", "report/review_price.py", "report/review_wording.py"],
    "report/test_segments.py": ["report/live_segments.py", "report/segment_wording.py"],
    "report/test_uncertainty.py": [
        "report/resampled.py", "report/uncertainty_facts.py", "report/uncertainty_wording.py",
    ],
    "scanning/engines/test_duckdb_plain.py": ["scanning/engines/kept_columns.py"],
    "scanning/engines/test_duckdb_table.py": [
        "scanning/engines/spoilt.py",
        "scanning/engines/duckdb_rows.py", "scanning/engines/ties.py", "scanning/tasks.py",
    ],
    "scanning/engines/test_engines.py": [
        "_core/table_errors.py", "_core/table_files.py", "scanning/engines/opening.py", "scanning/engines/table.py",
    ],
    "scanning/engines/test_spark_table.py": [
        "scanning/engines/spark_session.py", "scanning/engines/spark_totals.py",
        "scanning/engines/spark_worker.py",
    ],
    "scanning/test_column.py": ["scanning/engines/memory_table.py", "scanning/passes.py", "scanning/scanned.py"],
    "cascades/test_cascade.py": ["cascades/growth.py"],
    "cascades/test_optimum.py": ["cascades/nodes.py"],
    "segments/models/test_base.py": [
        "segments/models/continuous.py", "segments/models/gaussian.py", "segments/models/logistic.py",
    ],
    "segments/test_segment_policy.py": ["segments/batches.py", "segments/rules.py"],
    "segments/test_sql.py": ["decisions/grids.py"],
    "multiclass/test_multiclass_policy.py": ["decisions/outputs.py"],
    "multiclass/test_sql.py": ["decisions/products.py"],
    "segments/test_ranking.py": ["segments/components.py", "segments/held_out.py", "segments/measures.py"],
    "segments/test_redistribution.py": ["segments/choice.py"],
    "uncertainty/test_resampling.py": [
        "uncertainty/bootstrap_intervals.py", "uncertainty/draws.py", "uncertainty/loops.py",
        "uncertainty/replicates.py",
    ],
}  # fmt: skip
