// What a person types, or hands over, to decide as the report's page does: Python, a command line, SQL. No DOM.
"use strict";
const rochullTyped = (() => {
  const E = rochullExact;
  const INTEGER_LITERALS = 2 ** 24; // of SQL, which are exact in every type of number
  const NUMBERS = { // those of a state that a goal needs
    cost: ["cost_fp", "cost_fn", "prevalence"],
    max_fpr: ["max_fpr"],
    min_recall: ["min_recall"],
    min_precision: ["min_precision", "prevalence"],
    capacity: ["fraction", "prevalence"],
  };
  const STAKES = NUMBERS.cost;
  const isInterval = (value) => Array.isArray(value) && value[0] !== value[1];
  const spread = (value) => (Array.isArray(value) ? value : [value, value]);

  // Whether a state has costs and a prevalence at which the library tells the figures beside a limit.
  function hasFigures(state) {
    const [cost_fp, cost_fn, prevalence] = STAKES.map((name) => spread(state[name])[0]);
    return !STAKES.some((name) => isInterval(state[name])) &&
      ((prevalence < 1 && cost_fp > 0) || (prevalence > 0 && cost_fn > 0));
  }

  // Of a limit two lines: the point, then its cost and net benefit.
  function python(state) {
    const text = (value) => (isInterval(value) ? `(${value.join(", ")})` : String(spread(value)[0]));
    const costs = `rh.ExpectedCost(${STAKES.map((name) => `${name}=${text(state[name])}`).join(", ")})`;
    if (state.goal === "cost") {
      return `hybrid.${STAKES.some((name) => isInterval(state[name])) ? "regret" : "at"}(${costs})`;
    }
    const condition = {
      max_fpr: () => `NeymanPearson(${state.max_fpr})`,
      min_recall: () => `MinimumRecall(${state.min_recall})`,
      min_precision: () => `MinimumPrecision(${state.min_precision}, prevalence=${state.prevalence})`,
      capacity: () => `Capacity(fraction=${state.fraction}, prevalence=${state.prevalence})`,
    }[state.goal]();
    const point = `hybrid.at(rh.${condition})`;
    if (!hasFigures(state)) return point;
    return `point, costs = ${point}, ${costs}\npoint.expected_cost(costs), point.net_benefit(costs)`;
  }

  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
  // For a POSIX shell; null if no command line made the report.
  function commandLine(command, state) {
    if (!command) return null;
    const text = (value) => (isInterval(value) ? value.join(":") : String(spread(value)[0]));
    const own = NUMBERS[state.goal], beside = hasFigures(state) ? STAKES.filter((name) => !own.includes(name)) : [];
    const typed = (prefix, names) =>
      names.flatMap((name) => [prefix + name.replaceAll("_", "-"), text(state[name])]);
    const figures = state.goal === "cost" ? [] : typed("--figures-", beside);
    return [...command, ...typed("--", own), ...figures].map(quoted).join(" ");
  }

  // --- SQL ---------------------------------------------------------------------------------------

  // The text that Policy.to_sql writes at a point of the union hull: {text}, or {why} there is none. See deploy.py.
  function sql(deploy, integer, point, dialect, key) {
    const parts = deploy?.sql?.[dialect];
    if (!parts) return { why: `There is no SQL for ${dialect}.` };
    if (!point) return { why: "No rule meets the condition." };
    const named = point.rules.filter(({ rule }) => rule.kind === "threshold");
    const unusable = named.map(({ rule }) => parts.classifiers[rule.classifier].unavailable).find(Boolean);
    if (unusable) return { why: unusable };
    const texts = point.rules.map(({ rule }, i) => {
      if (rule.kind !== "threshold") return parts[rule.kind];
      const own = parts.classifiers[rule.classifier], vertex = point.left + i;
      if (own.exact && Object.hasOwn(own.exact, vertex)) return own.exact[vertex];
      const { threshold } = rule;
      if (integer.has(rule.classifier) && Math.abs(threshold) <= INTEGER_LITERALS) return own.integer.join(threshold);
      return own.float.join(typeof threshold === "string" ? threshold : E.pythonRepr(threshold + 0));
    });
    const hashes = 2 ** 32, count = Math.ceil(point.share * hashes);
    if (count === 0 || count === hashes) return { text: texts[count ? 1 : 0] };
    const name = key || "", { key: quotes, mixture } = parts;
    if (!name) return { why: "The rule is a mixture of two: name the column that identifies a case." };
    const sign = quotes.refused.find((each) => name.includes(each));
    if (sign !== undefined) return { why: `No column in ${dialect} can have ${JSON.stringify(sign)} in its name.` };
    const fill = {
      key: quotes.open + name.replaceAll(quotes.close, () => quotes.escaped) + quotes.close,
      count: count.toString(16).padStart(8, "0"), other: texts[1], first: texts[0],
    };
    return { text: mixture.parts.map((part, i) => part + (fill[mixture.slots[i]] ?? "")).join("") };
  }

  return { NUMBERS, isInterval, spread, python, commandLine, sql };
})();
