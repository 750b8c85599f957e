# Rscript benchmarks/evidence.R FOLDER: data that R packages ship, and what these packages find in them, as CSV
# files for benchmarks/evidence.py. A package that is not installed is left out. Nothing of it is kept here: pROC,
# cutpointr, precrec and MRMCaov are under the GPL (version 3 or later), dcurves under the MIT licence.
# VanDyke's data may also lie in FOLDER as VanDyke.RData, as MRMCaov's repository has them.

folder <- commandArgs(trailingOnly = TRUE)[1]
figures <- data.frame(source = character(), what = character(), value = numeric())
note <- function(source, what, value) {
  found <- data.frame(source = source, what = what, value = as.numeric(value))
  figures <<- rbind(figures, found)
}
keep <- function(data, name) write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE)
has <- function(package) suppressWarnings(requireNamespace(package, quietly = TRUE))
version <- function(package) paste(package, packageVersion(package))

if (has("pROC")) {
  data(aSAH, package = "pROC")
  keep(data.frame(poor = as.integer(aSAH$outcome == "Poor"), wfns = as.integer(aSAH$wfns),
                  s100b = aSAH$s100b, ndka = aSAH$ndka), "asah")
  markers <- c("wfns", "s100b", "ndka")
  source <- version("pROC")
  rocs <- lapply(markers, function(m) {
    pROC::roc(aSAH$outcome, as.numeric(aSAH[[m]]), levels = c("Good", "Poor"), direction = "<", quiet = TRUE)
  })
  names(rocs) <- markers
  for (m in markers) {
    ends <- pROC::ci.auc(rocs[[m]])
    note(source, paste("area,", m), ends[2])
    note(source, paste("DeLong's interval, low,", m), ends[1])
    note(source, paste("DeLong's interval, high,", m), ends[3])
    note(source, paste("variance,", m), pROC::var(rocs[[m]]))
    corrected <- pROC::auc(rocs[[m]], partial.auc = c(1, 0.9), partial.auc.correct = TRUE)
    note(source, paste("partial area, specificity 1 to 0.9, corrected,", m), corrected)
    best <- pROC::coords(rocs[[m]], "best", best.method = "youden", transpose = FALSE)
    note(source, paste("Youden, sensitivity,", m), best$sensitivity)
    note(source, paste("Youden, specificity,", m), best$specificity)
  }
  for (pair in list(c("wfns", "s100b"), c("wfns", "ndka"), c("ndka", "s100b"))) {
    test <- pROC::roc.test(rocs[[pair[1]]], rocs[[pair[2]]], method = "delong")
    note(source, paste("DeLong's test, z,", pair[1], "and", pair[2]), test$statistic)
    note(source, paste("DeLong's test, p,", pair[1], "and", pair[2]), test$p.value)
  }
}

if (has("cutpointr")) {
  data(suicide, package = "cutpointr")
  keep(suicide[c("suicide", "dsi", "gender")], "suicide")
  source <- version("cutpointr")
  best <- function(what, data, ...) {
    found <- cutpointr::cutpointr(data, dsi, suicide, pos_class = "yes", direction = ">=", silent = TRUE, ...)
    note(source, paste0(what, ", cutpoint"), found$optimal_cutpoint)
    note(source, paste0(what, ", sensitivity"), found$sensitivity)
    note(source, paste0(what, ", specificity"), found$specificity)
    note(source, paste0(what, ", area"), found$AUC)
  }
  best("Youden", suicide, metric = cutpointr::youden)
  for (g in c("female", "male")) best(paste("Youden,", g), suicide[suicide$gender == g, ], metric = cutpointr::youden)
  best("cost 1 : 10", suicide, method = cutpointr::minimize_metric, metric = cutpointr::misclassification_cost,
       cost_fp = 1, cost_fn = 10)
  best("F1", suicide, metric = cutpointr::F1_score)
  best("accuracy", suicide, metric = cutpointr::accuracy)
  best("specificity of 0.9 or more", suicide, metric = cutpointr::sens_constrain, min_constrain = 0.9)
  best("sensitivity of 0.9 or more", suicide, metric = cutpointr::spec_constrain, min_constrain = 0.9)
}

if (has("precrec")) {
  data(P10N10, package = "precrec")
  keep(data.frame(label = as.integer(P10N10$labels == 1), score = P10N10$scores), "p10n10")
  source <- version("precrec")
  curves <- precrec::evalmod(scores = P10N10$scores, labels = P10N10$labels)
  note(source, "area", precrec::auc(curves)$aucs[1])
  for (end in c(0.1, 0.25, 0.5)) {
    part <- precrec::pauc(precrec::part(curves, xlim = c(0, end)))
    note(source, paste("partial area to an FPR of", end), part$paucs[part$curvetypes == "ROC"])
  }
}

if (has("dcurves")) {
  data(df_binary, package = "dcurves")
  models <- c("cancerpredmarker", "famhistory")
  keep(data.frame(cancer = as.integer(df_binary$cancer), df_binary[models]), "df_binary")
  source <- version("dcurves")
  curve <- dcurves::dca(cancer ~ cancerpredmarker + famhistory, data = df_binary,
                        thresholds = c(0.05, 0.1, 0.15, 0.2, 0.3))
  found <- as.data.frame(dcurves::as_tibble(dcurves::net_intervention_avoided(curve)))
  for (row in split(found, seq_len(nrow(found)))) {
    if (!row$variable %in% models) next
    note(source, paste("net benefit at", row$threshold, row$variable), row$net_benefit)
    note(source, paste("interventions avoided at", row$threshold, row$variable), row$net_intervention_avoided)
  }
}

shipped <- file.path(folder, "VanDyke.RData")
if (has("MRMCaov") || file.exists(shipped)) {
  if (file.exists(shipped)) load(shipped) else data(VanDyke, package = "MRMCaov")
  keep(VanDyke[c("reader", "treatment", "case", "truth", "rating")], "vandyke")
}

shipped <- file.path(folder, "precip_Niamey_2016.rda")
if (has("reliabilitydiag") || file.exists(shipped)) {
  if (file.exists(shipped)) load(shipped) else data(precip_Niamey_2016, package = "reliabilitydiag")
  keep(precip_Niamey_2016[c("obs", "Logistic", "EMOS", "ENS", "EPC")], "niamey")
}

keep(figures, "figures")
