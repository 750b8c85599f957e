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

  /** Bind the section; returns what shows it for a new answer. */
  function bind(model, facts) {
    const said = byId("batch-said"), matrix = byId("batch-matrix"), input = byId("batch-file");
    let batch = null, name = "", last = null;
    function words({ size }, found, mixed) {
      if (found.absent) return `${isolated(name)} has no column named ${found.absent.map(isolated).join(" or ")}, which the rule reads.`;
      const about = mixed ? "about " : "", share = size ? ` (${F.rate(found.flagged / size)})` : "";
      const gaps = found.missing ? ` ${F.count(found.missing)} lack a score that it reads, which no threshold flags.` : "";
      const rest = found.confusion && found.unlabelled ? ` ${F.count(found.unlabelled)} have no label, and are not in the table.` : "";
      return `Of the ${F.count(size)} cases in ${isolated(name)} this rule flags ${about}${F.count(found.flagged)}${share}.${gaps}${rest}`;
    }
    function show(result = last) {
      last = result;
      const chosen = result && result.chosen;
      if (!batch) return;
      const found = chosen ? decide(batch, chosen) : null, { confusion = null } = found || {};
      put(said, found ? words(batch, found, chosen.rules.length > 1) : "No rule can do that.");
      matrix.hidden = !confusion;
      for (const node of matrix.querySelectorAll("[data-batch]")) {
        const value = confusion && confusion[node.dataset.batch];
        node.dataset.value = value === null ? "" : String(value);
        put(node, value === null ? "" : F.count(value));
      }
    }
    function take(text, title) {
      [batch, name] = [read(text, model.names, facts.about), title];
      show();
    }
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (file) take(await file.text(), file.name);
    });
    byId("batch").hidden = false;
    return show;
  }
  return { parse, score, read, decide, bind };
})();
