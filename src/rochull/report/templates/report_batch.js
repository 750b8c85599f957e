// A batch of the reader's own: a CSV file, read in the page and sent nowhere, and what the present rule would do with it.
"use strict";
const rochullBatch = (() => {
  const F = rochullFormat, { isolated } = F;
  const byId = (id) => document.getElementById(id);
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, ENDLESS = /^([+-]?)inf(inity)?$/i;

  /** The rows of a CSV text (RFC 4180); its sign between cells is the one that the first line has most of. */
  function parse(text) {
    const line = /^\ufeff?([^\r\n]*)/.exec(text)[1].replace(/"[^"]*"/g, "");
    const sign = [",", ";", "\t"].map((each) => [line.split(each).length, each]).reduce((a, b) => (b[0] > a[0] ? b : a))[1];
    const rows = [], end = text.length;
    let row = [], at = text.startsWith("\ufeff") ? 1 : 0;
    while (at < end) {
      let cell = "";
      if (text[at] === '"') {
        for (at += 1; at < end; at += 1) {
          if (text[at] === '"' && text[at + 1] !== '"') break;
          if (text[at] === '"') at += 1; // two of them are one
          cell += text[at];
        }
        at += 1;
      }
      const from = at;
      while (at < end && text[at] !== sign && text[at] !== "\n" && text[at] !== "\r") at += 1;
      row.push(cell + text.slice(from, at));
      if (text[at] === sign) {
        at += 1;
        if (at < end) continue;
        row.push("");
      }
      if (text[at] === "\r") at += 1;
      if (text[at] === "\n") at += 1;
      if (row.length > 1 || row[0] !== "") rows.push(row); // an empty line is no case
      row = [];
    }
    return { sign, rows };
  }
  /** A score; NaN where there is none. A decimal comma is one where cells are not divided by commas. */
  function score(text, sign) {
    const clean = sign === "," ? text.trim() : text.trim().replace(/^([^.,]*),([^.,]*)$/, "$1.$2"), endless = ENDLESS.exec(clean);
    return endless ? (endless[1] === "-" ? -Infinity : Infinity) : NUMBER.test(clean) ? Number(clean) : NaN;
  }
  const equal = (text, value) => text === value || (text !== "" && value !== "" && Number(text) === Number(value));

  /** Whether a classifier's scores were single precision: a file may write them in fewer digits than their thresholds have. */
  function isSingle({ hull: { thresholds } }) {
    const known = thresholds.map(Number).filter(Number.isFinite);
    return known.every((value) => Math.fround(value) === value) && known.some((value) => String(value).length > 12);
  }
  /** What a file holds: scores by the classifiers' names and, if the label is there, whether each case is positive (null: unknown). */
  function read(text, names, about) {
    const { sign, rows: [heads = [], ...rows] } = parse(text), place = (name) => heads.findIndex((head) => head.trim() === name.trim());
    const scores = new Map(names.filter((name) => place(name) >= 0)
      .map((name) => [name, Float64Array.from(rows, (row) => score(row[place(name)] ?? "", sign))]));
    const at = about && about.label !== undefined && about.positive !== undefined ? place(about.label) : -1;
    const label = at < 0 ? null : rows.map((row) => ((row[at] ?? "").trim() === "" ? null : equal(row[at].trim(), about.positive)));
    return { size: rows.length, scores, label };
  }

  /** What a point does with a batch: {flagged, missing, confusion}, or {absent} columns. Of a mixture it is the mean. */
  function decide({ size, scores, label }, { rules }) {
    const needed = rules.map(({ rule }) => rule).filter(({ kind }) => kind === "threshold");
    const absent = [...new Set(needed.map(({ classifier }) => classifier))].filter((name) => !scores.has(name));
    if (absent.length) return { absent };
    const confusion = { tp: 0, fn: 0, fp: 0, tn: 0 };
    let flagged = 0, missing = 0;
    for (let row = 0; row < size; row += 1) {
      let part = 0;
      for (const { rule, probability } of rules) {
        const value = rule.kind === "threshold" ? scores.get(rule.classifier)[row] : 0, limit = Number(rule.threshold);
        const yes = rule.kind === "threshold" ? (rule.lower_is_positive ? value <= limit : value >= limit) : rule.kind === "always";
        if (yes) part += probability;
      }
      flagged += part;
      if (needed.some(({ classifier }) => Number.isNaN(scores.get(classifier)[row]))) missing += 1;
      if (label === null || label[row] === null) continue;
      confusion[label[row] ? "tp" : "fp"] += part;
      confusion[label[row] ? "fn" : "tn"] += 1 - part;
    }
    return { flagged, missing, confusion: label && confusion, unlabelled: label ? label.filter((each) => each === null).length : 0 };
  }

  // --- beside the report's own cases -----------------------------------------------------------------

  /** Where the scores of a classifier differ most from those of a batch, of all thresholds that the page knows: the shares
   *  that each flags, and what chance alone stays below in 95 % of cases (Kolmogorov and Smirnov; null if weighted). */
  function drift(own, { negatives, positives }, values, weighted) {
    const { threshold, fp, tp } = rochullCurves.steps(own), all = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
    if (!all.length || !threshold.length) return null;
    const lower = own.lower_is_positive, size = negatives + positives, n = all.length;
    let most = { apart: -1 };
    threshold.forEach((value, i) => {
      const theirs = (fp[i] + tp[i]) / size, yours = (lower ? d3.bisectRight(all, value) : n - d3.bisectLeft(all, value)) / n;
      if (Math.abs(theirs - yours) > most.apart) most = { apart: Math.abs(theirs - yours), threshold: value, theirs, yours };
    });
    return { ...most, chance: weighted ? null : Math.min(1, 1.3581 * Math.sqrt(1 / n + 1 / size)) };
  }
  /** The report's cases and a batch under one rule: rows {key, text, format, theirs, yours}; `theirs` as the report's cases are,
   *  whatever the condition's prevalence. */
  function beside(facts, batch, { flagged, confusion }, { fpr, tpr }, { cost_fp, cost_fn }) {
    const { negatives, positives } = facts.totals, size = negatives + positives, [w, m] = [cost_fp, cost_fn].map(rochullCurves.middle);
    const rates = ({ tp, fn, fp, tn }) => ({
      positive: (tp + fn) / (tp + fn + fp + tn), tpr: tp / (tp + fn), fpr: fp / (fp + tn), precision: tp / (tp + fp), cost: (w * fp + m * fn) / (tp + fn + fp + tn),
    });
    const own = rates({ tp: positives * tpr, fn: positives * (1 - tpr), fp: negatives * fpr, tn: negatives * (1 - fpr) }), yours = confusion && rates(confusion);
    const lines = [["positive", "positive", F.rate], ["tpr", "caught of the positives", F.rate], ["fpr", "wrongly flagged of the negatives", F.rate],
      ["precision", "positive of the flagged", F.rate], ["cost", "cost per case", F.number]];
    return [
      { key: "cases", text: facts.examples.weighted ? "cases (weight)" : "cases", format: facts.examples.weighted ? F.number : F.count, theirs: size, yours: batch.size },
      { key: "flagged", text: "flagged", format: F.rate, theirs: (positives * tpr + negatives * fpr) / size, yours: batch.size ? flagged / batch.size : NaN },
      ...(yours ? lines.map(([key, text, format]) => ({ key, text, format, theirs: own[key], yours: yours[key] })) : []),
    ];
  }

  /** Bind the section; returns what shows it for a new answer. */
  function bind(model, facts) {
    const said = byId("batch-said"), matrix = byId("batch-matrix"), input = byId("batch-file");
    const compared = byId("batch-beside"), body = compared.querySelector("tbody"), { html } = rochullElements;
    let batch = null, name = "", last = null, drifts = [];
    const line = ({ key, text, format, theirs, yours }) => html("tr", {}, html("th", { scope: "row" }, text),
      ...[["theirs", theirs], ["yours", yours]].map(([side, value]) => html("td", { "data-beside-batch": `${key}:${side}`, "data-value": Number.isFinite(value) ? value : "" }, format(value))));
    /** The rows that follow the rule, and those of the scores, which do not. */
    function showBeside(found, chosen, state) {
      compared.hidden = !found || Boolean(found.absent) || !facts.examples;
      if (compared.hidden) return;
      const rows = beside(facts, batch, found, chosen, state).map(line);
      body.replaceChildren(...rows, ...drifts.map(({ i, own, threshold, theirs, yours, chance }) => {
        const head = ["scores of ", html("bdi", {}, own.name), ` ${F.sign(own)} ${F.threshold(threshold, own.lower_is_positive)}`,
          html("small", {}, `where they differ most${chance === null ? "" : `; chance alone: less than ${F.number(Number((100 * chance).toPrecision(2)))} points (95 %)`}`)];
        const made = line({ key: `scores:${i}`, text: "", format: F.rate, theirs, yours });
        made.firstChild.append(...head);
        return made;
      }));
    }
    function words({ size }, found, mixed, reviewed) {
      if (found.absent) return `${isolated(name)} has no column named ${found.absent.map(isolated).join(" or ")}, which the rule reads.`;
      const about = mixed ? "about " : "", share = size ? ` (${F.rate(found.flagged / size)})` : "";
      const gaps = found.missing ? ` ${F.count(found.missing)} lack a score that it reads, which no threshold flags.` : "";
      const rest = found.confusion && found.unlabelled ? ` ${F.count(found.unlabelled)} have no label, and are not in the table.` : "";
      return `Of the ${F.count(size)} cases in ${isolated(name)} ${reviewed ? "the best rule without reviews" : "this rule"} flags ${about}${F.count(found.flagged)}${share}.${gaps}${rest}`;
    }
    function show(result = last && last.result, state = last && last.state, reviewed = last && last.reviewed) {
      last = { result, state, reviewed };
      const chosen = result && result.chosen;
      if (!batch) return;
      const found = chosen ? decide(batch, chosen) : null, { confusion = null } = found || {};
      showBeside(found, chosen, state);
      put(said, found ? words(batch, found, chosen.rules.length > 1, reviewed) : reviewed ? "A rule with reviews is not tried here." : "No rule can do that.");
      matrix.hidden = !confusion;
      for (const node of matrix.querySelectorAll("[data-batch]")) {
        const value = confusion && confusion[node.dataset.batch];
        node.dataset.value = value === null ? "" : String(value);
        put(node, value === null ? "" : F.count(value));
      }
    }
    function take(text, title) {
      [batch, name] = [read(text, model.names, facts.about), title];
      for (const own of facts.classifiers.filter(isSingle)) if (batch.scores.has(own.name)) batch.scores.set(own.name, batch.scores.get(own.name).map(Math.fround));
      drifts = facts.classifiers.flatMap((own, i) => {
        const found = own.calibration && batch.scores.has(own.name) && drift(own, facts.totals, batch.scores.get(own.name), facts.examples.weighted);
        return found ? [{ i, own, ...found }] : [];
      });
      show();
    }
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (file) take(await file.text(), file.name);
    });
    byId("batch").hidden = false;
    return show;
  }
  return { parse, score, read, decide, drift, beside, bind };
})();
