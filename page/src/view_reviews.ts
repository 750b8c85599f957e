// A third action: some cases are passed on to a reviewer, at a cost, or as far as a team gets. What `rh.Review` finds.
import { say } from "./answer/words";
import type { Reviewing } from "./answer/numbers";
import * as lists from "./lists";
import { html } from "./report_charts";
import { read, readShare, field, shareField, rate, number } from "./report_format";
import * as rochullLines from "./report_lines";
import type { Line, Now } from "./report_lines";
import type { Base } from "./report_marks";
import { asked, of, type Reviewed } from "./report_reviewed";
import * as rochullTyped from "./report_typed";
import * as rochullViews from "./report_views";
import { assign, min } from "./maths";
import { attr, on } from "./report_elements";

rochullViews.add((() => {
  const found = ({ base, state }: Now) => of(base, state), isGiven = ({ base, state }: Now) => Boolean(base.facts.review) && state.goal === "report";

  /** What the line tells beside the rule, which the page has in its headline. */
  function words({ review_rate: share, expected_cost: cost, without, all, least }: Reviewed): string {
    return say("expert.reviews.at the star of", { share: rate(share), cost: number(cost), without: number(without) }) +
      say("expert.reviews.with all cases reviewed", { all: number(all), cost: number(least.cost), share: rate(least.share) });
  }

  const written = (key: keyof Reviewing, value: number) => (key === "most" ? shareField(value) : field(value));
  function controls(base: Base, again: () => void) {
    const inputs = new Map<keyof Reviewing, HTMLInputElement>();
    const made = (label: string, key: keyof Reviewing, most: number) => {
      const input = html("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label, value: written(key, asked(base)[key]), "data-review": key });
      on(input, "input", () => {
        const value = (key === "most" ? readShare : read)(input.value), good = value >= 0 && value <= most;
        attr(input, "aria-invalid", String(!good));
        wrong.hidden = good;
        wrong.textContent = good ? "" : say("expert.reviews.must be but is", { label, range: most === 1 ? "between 0 % and 100 %" : say("expert.reviews.a number that is"), typed: input.value.slice(0, 24) });
        if (!good) return;
        base.letReview({ ...asked(base), [key]: value });
        again();
      });
      inputs.set(key, input);
      return html("label", { class: "field" }, label, input);
    };
    const wrong = html("p", { class: "fault", role: "status", hidden: "" });
    const said = html("p", { class: "rc-said" });
    const isOn = html("input", { type: "checkbox", "data-review": "on" });
    on(isOn, "change", () => base.letReview(isOn.checked ? asked(base) : null));
    const element = html("div", { class: "rc-controls" }, html("label", { class: "check" }, isOn, say("expert.reviews.people decide these cases")), made(say("expert.reviews.a review costs"), "cost", Number.MAX_VALUE), made(say("expert.reviews.reviewed at most"), "most", 1), wrong, said);
    return { element, show(now: Now) {
      const { base: { review, facts }, state } = now, answer = found(now), fixed = isGiven(now);
      isOn.checked = base.isReviewing();
      for (const [key, input] of inputs) { // as a link has set it
        if (read(input.value) !== asked(base)[key] && input !== document.activeElement) input.value = written(key, asked(base)[key]);
      }
      said.textContent = [words(answer),
        fixed || (state.goal === "cost" && !rochullTyped.limitsOf(state).length) ? "" : say("expert.reviews.limits that are set"),
        review || facts.review ? "" : say("expert.reviews.that a review costs", { cost: number(asked(base).cost) })].filter(Boolean).join(" ");
      assign(said.dataset, { cost: answer.expected_cost, share: answer.review_rate });
    } };
  }
  // The least of all lines, where any of them turns.
  function envelope(each: Record<"x" | "y", number[]>[]) {
    const x = Float64Array.from(new Set(each.flatMap((line) => line.x))).sort(), y = new Float64Array(x.length).fill(Infinity);
    for (const line of each) {
      let j = 1;
      for (let k = 0; k < x.length; k++) {
        while (j < line.x.length - 1 && line.x[j] < x[k]) j += 1;
        const width = line.x[j] - line.x[j - 1], part = width > 0 ? min(1, (x[k] - line.x[j - 1]) / width) : 1;
        const value = line.y[j - 1] + part * (line.y[j] - line.y[j - 1]);
        if (value < y[k]) y[k] = value;
      }
    }
    return { x, y };
  }
  function lines(now: Now): Line[] {
    if (isGiven(now)) return [{ name: say("expert.reviews.lowest of all"), look: "rc-union", x: found(now).frontier!.share, y: found(now).frontier!.cost }];
    const each = found(now).frontiers!.map((points, i) => ({ i, name: now.base.model.names[i], x: points.map(({ share }) => share), y: points.map(({ cost }) => cost) }));
    return [...each, { name: say("expert.reviews.lowest of all"), look: "rc-union", ...envelope(each) }];
  }
  return rochullLines.view({
    id: "reviews", title: "Reviews",
    about: say("expert.reviews.about"), label: say("expert.reviews.the lowest expected cost"), lines, controls,
    xTitle: say("expert.reviews.share of cases reviewed"), yTitle: say("expert.reviews.lowest expected cost per"),
    domain: (all) => [[0, 1], [0, 1.05 * lists.max(all, ({ y }) => lists.max(y))! || 1]],
    star: (now) => [found(now).review_rate, found(now).expected_cost],
    uprights: ({ base }) => (asked(base).most < 1 ? [asked(base).most] : []),
    told: ({ x, y }, k) => [["reviewed", rate(x[k])], ["cost", number(y[k])]],
  });
})());
