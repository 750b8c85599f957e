// A third action: some cases are passed on to a reviewer, at a cost, or as far as a team gets. What `rh.Review` finds.
"use strict";
rochullViews.add((() => {
  const { html } = rochullCharts, { read, readShare, field, shareField, rate, number, reviewing, compared } = rochullFormat, { reviews } = rochullCurves;
  const START = { cost: 0.1, most: 1 };
  // What the report itself asks for, as far as it is single numbers.
  const begun = ({ facts: { review } }) => (review ? { cost: [review.parameters.cost_review].flat()[0], most: [review.parameters.max_share ?? 1].flat()[0] } : START);
  const asked = (base) => base.review || begun(base);
  const own = ({ base, state }) => (state.goal === "report" ? base.facts.review : null);
  let last = { key: null };
  function found({ base, state }) { // once for each state
    const key = JSON.stringify([asked(base), state.cost_fp, state.cost_fn, state.prevalence]);
    if (last.key !== key || last.base !== base) last = { key, base, value: reviews(base.model, state, asked(base)) };
    return last.value;
  }

  function words(base, { best, owner, frontiers }) {
    const band = ({ high, low }, probability) => ({ high: base.model.hulls[owner].rules(high), low: base.model.hulls[owner].rules(low), probability });
    const [without, all] = [0, -1].map((end) => Math.min(...frontiers.map((points) => points.at(end).cost))), { cost, most } = asked(base);
    const against = [...(best.share > 0 ? [`${compared(best.cost, without)} without reviews`] : []),
      ...(best.share < 1 ? [`${compared(best.cost, all)} reviewing all${most < 1 ? " (which breaks the limit)" : ""}`] : [])].join(", ");
    const rule = reviewing(base.facts.positive, best.part < 1 ? [band(best, best.part), band(best.before, 1 - best.part)] : [band(best, 1)]);
    const done = best.share > 0 ? `${rate(best.share)} of the cases are reviewed, by reviewers who are taken to make no mistakes, for ${number(cost)} each` : most > 0 ? "No review is worth its cost" : "No case is reviewed";
    return `${rule}. ${done}. Expected cost ${number(best.cost)} per case by these data${best.share > 0 ? ", reviews included" : ""}: ${against}.`;
  }

  const written = (key, value) => (key === "most" ? shareField(value) : field(value));
  function controls(base, again) {
    const inputs = new Map();
    const made = (label, key, most) => {
      const input = html("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label, value: written(key, asked(base)[key]), "data-review": key });
      input.addEventListener("input", () => {
        const value = (key === "most" ? readShare : read)(input.value), good = value >= 0 && value <= most;
        input.setAttribute("aria-invalid", String(!good));
        wrong.hidden = good;
        wrong.textContent = good ? "" : `“${label}” must be ${most === 1 ? "between 0 % and 100 %" : "a number that is not negative"}, but is “${input.value.slice(0, 24)}”. The last one is used.`;
        if (!good) return;
        base.review = { ...asked(base), [key]: value };
        again();
        base.reviewed();
      });
      inputs.set(key, input);
      return html("label", { class: "field" }, label, input);
    };
    const wrong = html("p", { class: "fault", role: "status", hidden: "" });
    const said = html("p", { class: "rc-said" }), line = html("code", {});
    const element = html("div", { class: "rc-controls" }, made("a review costs", "cost", Number.MAX_VALUE), made("reviewed at most", "most", 1), wrong, said, line);
    return { element, show(now) {
      const { cost, most } = asked(base), fixed = own(now);
      for (const [key, input] of inputs) { // as a link has set it
        if (read(input.value) !== asked(base)[key] && input !== document.activeElement) input.value = written(key, asked(base)[key]);
      }
      const value = fixed ? null : found(now), best = fixed ? { cost: fixed.expected_cost, share: fixed.review_rate } : value.best;
      said.textContent = fixed ? `${reviewing(now.base.facts.positive, fixed.rules)}. ${rate(best.share)} of the cases are reviewed; expected cost ${number(best.cost)} per case.` : [words(base, value),
        now.state.goal === "cost" && !rochullTyped.limitsOf(now.state).length ? "" : "Limits that are set at the left do not apply here.",
        base.review ? "" : `That a review costs ${number(cost)} is only a number to begin with: enter your own.`].filter(Boolean).join(" ");
      Object.assign(said.dataset, { cost: best.cost, share: best.share });
      line.textContent = base.model.python(fixed ? now.state : { ...now.state, review: { cost, most } });
    } };
  }
  // The least of all lines, where any of them turns.
  function envelope(each) {
    const x = Float64Array.from(new Set(each.flatMap((line) => line.x))).sort(), y = new Float64Array(x.length).fill(Infinity);
    for (const line of each) {
      let j = 1;
      for (let k = 0; k < x.length; k++) {
        while (j < line.x.length - 1 && line.x[j] < x[k]) j += 1;
        const width = line.x[j] - line.x[j - 1], part = width > 0 ? Math.min(1, (x[k] - line.x[j - 1]) / width) : 1;
        const value = line.y[j - 1] + part * (line.y[j] - line.y[j - 1]);
        if (value < y[k]) y[k] = value;
      }
    }
    return { x, y };
  }
  function lines(now) {
    const fixed = own(now);
    if (fixed) return [{ name: "lowest of all", look: "rc-union", x: fixed.frontier.share, y: fixed.frontier.cost }];
    const each = found(now).frontiers.map((points, i) => ({ i, name: now.base.model.names[i], x: points.map(({ share }) => share), y: points.map(({ cost }) => cost) }));
    return [...each, { name: "lowest of all", look: "rc-union", ...envelope(each) }];
  }
  return rochullLines.view({
    id: "reviews", title: "Reviews",
    about: "A third action: some cases go to a reviewer. The lowest expected cost for each share of cases that is reviewed.", label: "The lowest expected cost for every share of cases that is reviewed.", lines, controls,
    xTitle: "share of cases reviewed", yTitle: "lowest expected cost per case",
    domain: (all) => [[0, 1], [0, 1.05 * d3.max(all, ({ y }) => d3.max(y)) || 1]],
    star: (now) => (own(now) ? [own(now).review_rate, own(now).expected_cost] : [found(now).best.share, found(now).best.cost]),
    uprights: ({ base }) => (asked(base).most < 1 ? [asked(base).most] : []),
    told: ({ x, y }, k) => [["reviewed", rate(x[k])], ["cost", number(y[k])]],
  });
})());
