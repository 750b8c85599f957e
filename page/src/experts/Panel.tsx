// What the rule does and costs, and the rule with its figures: two panels of the part for experts, which are views of what is seen.
import { render, type ComponentChildren } from "preact";
import { Around, say } from "../answer/words";
import type { Cells, State } from "../answer/numbers";
import * as rochullCurves from "../report_curves";
import { byId } from "../report_elements";
import type { Facts as Whole, ReviewOutcomes } from "../report_facts";
import * as F from "../report_format";
import type { Answer } from "../report_found";
import * as R from "../report_reviewed";
import { isRounded } from "../report_rule";
import { RuleLine } from "./RuleLine";
import { bracketed, ofCases, partsOf, resampledOf, tableOf, untold, versus, type Resampled, type Table, type Told } from "./shown";
import { isArray, sqrt } from "../maths";

type Ends = Record<string, [number, number]> | null;
type Action = "flagged" | "reviewed" | "passed";
type Reviewed = R.Reviewed & { outcomes: ReviewOutcomes };
type Facts = Pick<Whole, "positive" | "examples" | "numbers" | "chosen" | "review"> & { uncertainty: Resampled | null };
/** What is seen, and what only the page knows of it. */
export interface Seen {
  state: State;
  result: Answer;
  reviewed: Reviewed | null;
  unused: string | null;
  words: string; // the condition
  own: boolean; // it is the report's
  today: Table | null; // the outcomes of the reader's rule
  scale: { size: number; unit: string };
  ends: Ends; // how sure the numbers are
  ofReviews: Ends;
  further: string;
  gaps: string;
  atData: boolean; // at the prevalence of the data
  differs: boolean; // one threshold does something else
}

const CELLS = [["tp", "fn"], ["fp", "tn"]] as const, ACTIONS: [Action, string, [string, string]][] = [
  ["flagged", say("report.reviews.flagged"), ["tp", "fp"]], ["reviewed", say("expert.panel.reviewed"), ["rv", "rv"]], ["passed", say("report.reviews.passed"), ["fn", "tn"]]];
const WHAT: Record<string, string> = { tp: say("expert.panel.tp"), fn: say("expert.panel.fn"), fp: say("expert.panel.fp"), tn: say("expert.panel.tn") };
const REVIEWED = [["review_rate", say("expert.panel.review rate")], ["positive_rate", say("expert.panel.positive rate")], ["precision", say("expert.panel.precision")], ["error_rate", say("expert.panel.error rate")],
  ["tpr", say("expert.panel.tpr")], ["fpr", say("expert.panel.fpr")], ["expected_cost", say("expert.panel.expected cost")]] as const;
const TERMS: [string, string][] = [["true positive rate", "term.true positive rate"], ["false positive rate", "term.false positive rate"], ["precision", "term.precision"],
  ["expected cost", "term.expected cost"], ["net benefit", "term.net benefit"], ["probability-cost", "term.probability-cost"],
  ["mixtures", "term.mixtures"], ["regret", "term.regret"]];
const TWO = [say("expert.panel.flagged"), say("report.not flagged")];
const full = (value: unknown) => String(value ?? "");
const part = ([some, all]: [number, number]) => say("expert.panel.of", { part: F.count(some), all: F.count(all) });

/** A live number, with all its digits beside what is read. */
const Num = ({ name, value, text }: { name: string; value: unknown; text: string }) => <span data-key={name} data-value={full(value)}>{text}</span>;
/** A label with its term explained. */
export function Glossed({ text, hint = null }: { text: string; hint?: string | null }) {
  const [term, told] = hint ? [text, hint] : TERMS.find(([each]) => text.includes(each)) ?? [];
  if (!term) return <>{text}</>;
  const [before, after] = text.split(term);
  return <>{before}<span class="term" data-told={told} tabIndex={0} role="button">{term}</span>{after}</>;
}
/** What becomes of the cases that are reviewed; of reviewers who make mistakes with their numbers. */
function then(isPositive: boolean, { reviewed, then: flagged }: { reviewed: number; then: number }, reviewer: [number, number]): string {
  if (reviewer[isPositive ? 1 : 0] === Number(isPositive)) return isPositive ? say("expert.actions.then caught") : say("expert.actions.then passed");
  const [caught, rest] = [flagged, reviewed - flagged].map(F.count) as [string, string];
  return isPositive ? say("expert.actions.then caught missed", { caught, rest }) : say("expert.actions.then false alarms passed", { caught, rest });
}

interface MatrixProps {
  caption: ComponentChildren;
  heads: string[];
  classes: string[];
  row: (i: number) => ComponentChildren;
}
const Matrix = ({ caption, heads, classes, row }: MatrixProps) => (
  <table class="small confusion">
    <caption>{caption}</caption>
    <thead><tr><td />{heads.map((name) => <th scope="col">{name}</th>)}</tr></thead>
    <tbody>{classes.map((name, i) => <tr><th scope="row"><bdi>{name}</bdi></th>{row(i)}</tr>)}</tbody>
  </table>
);
/** What a rule does with cases of the reader's own; without them an empty table. */
export const BatchMatrix = ({ classes, cells }: { classes: string[]; cells: Cells | null }) => (
  <Matrix caption={say("expert.batch.what the rule does")} heads={TWO} classes={classes} row={(i) => CELLS[i]!.map((key) => (
    <td class={`outcome o-${key}`}><span class="count" data-batch={key} data-value={full(cells?.[key])}>{cells && F.count(cells[key])}</span> <span class="what">{WHAT[key]}</span></td>
  ))} />
);

function Outcomes({ seen: { state, result, reviewed, today, scale: { size, unit } }, facts, classes }: { seen: Seen; facts: Facts; classes: string[] }) {
  const each = size / 10000, prices = tableOf(result.prices as Table | null, each), [table, before] = [result.confusion, today].map((one) => tableOf(one, each)) as [Table | null, Table | null];
  const [cases, earlier] = [table, before].map(F.wholeCases) as (Table | null)[], whole = reviewed && R.whole(reviewed, size);
  const of = reviewed ? ofCases(size, reviewed.outcomes.prevalence, facts, isArray(state.prevalence)) : ofCases(size, state.prevalence, facts);
  const cell = (name: string, share: number, count: ComponentChildren, what: string, price: unknown, cost: string, more: object, beside?: ComponentChildren) => (
    <td class={`outcome o-${name}`} style={{ "--share": String(share) }} {...more}>{count} <span class="what">{what}</span> <span class="price" {...(reviewed ? {} : { "data-key": `price:${name}` })} data-value={full(price)}>{cost}</span>{beside}</td>
  );
  const costOf = (value: Told) => (value === null ? "" : say("expert.panel.cost", { x: F.numbers(value), unit }));
  return (
    <>
      <div id={reviewed ? "outcomes-three" : "outcomes-two"}>
        <Matrix classes={classes} heads={reviewed ? ACTIONS.map(([, name]) => name) : TWO}
          caption={<span id={reviewed ? "reviewed-of" : undefined}>{of}</span>}
          row={(i) => (whole && reviewed ? ACTIONS.map(([action, , cells]) => {
            const row = i ? "negatives" : "positives", value = (reviewed.outcomes[row]![action] * size) / reviewed.outcomes.cases, price = (reviewed.outcomes.costs![row][action] * size) / reviewed.outcomes.cases || null;
            return cell(cells[i]!, sqrt(value / size), <span class="count" data-value={full(value)}>{F.count(whole[row]![action])}</span>,
              action === "reviewed" ? then(!i, whole[row]!, reviewed.reviewer) : WHAT[cells[i]!]!, price, costOf(price), { "data-action": `${row}:${action}` });
          }) : CELLS[i]!.map((key) => {
            const value = table && table[key], price = prices && key in prices ? prices[key] : null;
            return cell(key, table ? sqrt(rochullCurves.middle(value!) / size) : 0, <span class="count" data-key={key} data-value={full(value)}>{F.counts(cases && cases[key])}</span>,
              WHAT[key]!, price, costOf(price), {}, <> <span class="versus" data-versus={key}>{versus(cases?.[key], earlier?.[key])}</span></>);
          }))} />
      </div>
      <p class="soft" id="outcomes-how" hidden={!table && !reviewed}>{reviewed ? say("expert.actions.counts are rounded to") : say("expert.outcomes.counts are rounded to", { more: prices ? say("expert.outcomes.and costs to four") : "" })}</p>
    </>
  );
}

/** The figures of a rule without reviews, each with how sure it is. */
function Figures({ seen: { result, own, scale: { size, unit }, ends }, facts }: { seen: Seen; facts: Facts }) {
  const { chosen } = result, cases = !result.interval && result.confusion && F.wholeCases(tableOf(result.confusion, size / 10000)) as Cells, parts = cases ? partsOf(cases) : {};
  const told = own && facts.chosen ? facts.uncertainty : null, found = ends && told ? untold(ends, told) : ends;
  const line = (key: string, label: string, hint: string | null, isShare: boolean, value: Told) => {
    const text = `${(isShare ? F.rates : F.numbers)(value)}${key === "expected_cost" && value !== null ? unit : ""}`, sure = value !== null ? found?.[key] : null, part_of = parts[key], resampled = told && resampledOf(told, key, isShare, facts.chosen![key] as number);
    return (
      <div hidden={!isShare && result.expected_cost === null && value === null}><dt><Glossed text={label} hint={hint} /></dt>
        <dd><Num name={key} value={value} text={text} /> {isShare && <><small data-key={`of:${key}`} data-value={full(part_of?.[0])}>{part_of && part(part_of)}</small> </>}
          {resampled && <small data-own>{resampled}</small>}
          <small data-interval={key} data-value={full(sure)}>{bracketed(sure, isShare, value as number)}</small></dd></div>
    );
  };
  const lines = (isShare: boolean) => facts.numbers.filter(({ share }) => share === isShare).map(({ key, label, hint, share }) => line(key, label, hint, share, (result[key] ?? null) as Told));
  return (
    <dl class="figures">
      {lines(true)}{line("tpr", say("expert.panel.tpr"), null, true, chosen && chosen.tpr)}{line("fpr", say("expert.panel.fpr"), null, true, chosen && chosen.fpr)}{lines(false)}
    </dl>
  );
}

/** What the brackets beside the figures are. */
function Brackets({ seen: { result, own, ends, atData }, facts }: { seen: Seen; facts: Facts }) {
  const { uncertainty: known, examples } = facts, told = known && facts.chosen && own, costs = result.expected_cost === null ? "no" : "yes", link = (text: string) => <a href="#sure">{text}</a>;
  const ranges = [...facts.numbers.map(({ key }) => key), "slope", "probability_cost"].some((key) => isArray(result[key]));
  if (told) return <p class="soft"><span data-own>{say("expert.panel.own brackets", { level: F.number(100 * known.level), known: examples ? "yes" : "no", n: examples ? examples.negatives + examples.positives : 0, measured: atData && examples ? (costs === "no" ? "yes" : "cost") : "no" })} {link(say("report.page.sure"))}</span></p>;
  return (
    <p class="soft">
      {known && facts.chosen && <span data-other><Around say="expert.panel.resampled" parts={{ below: link(say("expert.panel.below")) }} /> </span>}
      {ends && <span id="wilson"><Around say="expert.panel.brackets" parts={{ more: ranges ? "" : atData ? <span id="wilson-measured">{say("expert.panel.measured", { costs })}</span> : <span id="wilson-known">{say("expert.panel.known", { costs })}</span> }} /> {say("expert.panel.ignore")}
        {result.chosen!.rules.length > 1 && <span id="wilson-mixed"> {say("expert.panel.mixed")}</span>}{ranges && ` ${say("expert.panel.ranges")}`}</span>}
      {!known && (!examples || examples.weighted) && say("expert.panel.no intervals", { examples: examples ? "yes" : "no" })}
    </p>
  );
}
const Experts = ({ children }: { children: ComponentChildren }) => <details class="expert"><summary>{say("page.row.experts")}</summary><p class="soft">{children}</p></details>;

/** The rule without reviews. */
function Feasible({ seen, facts }: { seen: Seen; facts: Facts }) {
  const { state, result, reviewed, differs, own, ends, scale: { unit } } = seen, { chosen, single, optimal, slope } = result, isReport = state.goal === "report", sure = isReport && (state.own as { sure: number | null }).sure !== null;
  const names = optimal?.length ? optimal.map((name, i) => <>{i ? ", " : ""}<bdi>{name}</bdi></>) : say("report.robust.nobody");
  return (
    <div id="feasible" hidden={!result.feasible || reviewed !== null}>
      <p class="rule" id="rule"><RuleLine point={chosen} keys={{ "threshold:0": "threshold:0", "threshold:1": "threshold:1", "probability:0": "probability:0", "probability:1": "probability:1" }} /></p>
      <Figures seen={seen} facts={facts} />
      <p class="intervals" id="intervals" hidden={!result.interval || result.measure !== "expected cost"}>
        <Around say="expert.panel.range" parts={{ worst: <strong data-key="worst" data-value={full(result.worst)}>{`${F.number(result.worst)}${unit}`}</strong> }} />{" "}
        {optimal && <Around say="report.robust.best" slots={{ where: optimal.length === 1 ? "all" : "some" }} parts={{ names: <span id="optimal">{names}</span> }} />}
      </p>
      <p class="single" id="single" hidden={!differs}>
        <Around say="report.single" parts={{
          rule: <span id="single-rule"><RuleLine point={single} keys={{ "threshold:0": "single_threshold" }} /></span>,
          tpr: <Num name="single_tpr" value={single?.tpr} text={F.rate(single && single.tpr)} />, fpr: <Num name="single_fpr" value={single?.fpr} text={F.rate(single && single.fpr)} />,
        }} /> {isReport ? say("page.deterministic") : say("expert.panel.untick")}
      </p>
      <p class="soft" id="singles-told" hidden={!seen.gaps}>{seen.gaps}</p>
      <Brackets seen={seen} facts={facts} />
      <Experts>
        {[chosen, single].some(isRounded) && <span id="rounded">{say(own && sure ? "page.four digits" : "page.rounded")}{chosen && isRounded(chosen) && <> <span id="all-digits">{F.allDigits(chosen)}</span></>}</span>}{" "}
        {ends && !(own && facts.uncertainty && facts.chosen) && <span>{say("expert.panel.wilson")} </span>}
        <span id="slopes" hidden={slope === null}><Around say="expert.panel.slopes" parts={{ slope: <Num name="slope" value={slope} text={F.numbers(slope)} />, term: <Glossed text={say("expert.panel.probability cost")} />, pc: <Num name="probability_cost" value={result.probability_cost} text={F.numbers(result.probability_cost)} /> }} /></span>
      </Experts>
    </div>
  );
}

/** The figures of a rule with reviews. */
function WithReviews({ seen: { reviewed, scale: { size, unit }, ofReviews, further } }: { seen: Seen }) {
  if (!reviewed) return null;
  const values = R.figures(reviewed), { positives: p, negatives: n } = R.whole(reviewed, size), exact = R.digits(reviewed);
  const sent = p!.reviewed + n!.reviewed, parts: Record<string, [number, number]> = { ...partsOf(values.whole(size)), review_rate: [sent, size], error_rate: [n!.flagged + p!.passed, size - sent] };
  return (
    <div id="reviewed-figures">
      <dl class="figures">
        {REVIEWED.map(([key, label]) => {
          const value = values[key]!, isShare = key !== "expected_cost", of = isShare && parts[key], ends = value === null ? null : ofReviews?.[key];
          return <div><dt><Glossed text={label} /></dt><dd><span data-reviewed={key} data-value={full(value)}>{isShare ? F.rate(value) : `${F.number(value)}${unit}`}</span> <small>{of && of[1] ? part(of) : ""}</small> <small data-value={full(ends)}>{bracketed(ends, isShare)}</small></dd></div>;
        })}
      </dl>
      <p id="reviewed-more">{further}</p>
      <p class="soft">{say("expert.panel.after the reviews")} {ofReviews?.fpr && <span id="reviewed-sure">{say("expert.panel.reviews sure")} {say("expert.panel.ignore")}{reviewed.rules.length > 1 && <span id="reviewed-mixed"> {say("expert.panel.mixed")}</span>}</span>}</p>
      <Experts>{exact.length > 0 && <span id="reviewed-exact">{say("page.review.digits", { four: say("page.four digits"), digits: exact.map(String) })}</span>}</Experts>
    </div>
  );
}

function Rule({ seen, facts }: { seen: Seen; facts: Facts }) {
  const { result, reviewed, unused, words } = seen, isPossible = result.feasible || reviewed !== null;
  const kind = reviewed ? say("expert.page.the best rule with") : result.interval ? say("expert.page.the rule whose worst")
    : say("expert.page.the best rule", { reviews: facts.review ? say("expert.compare.without reviews") : "", draw: result.chosen && result.chosen.rules.length > 1 ? say("expert.page.which draws some cases") : "" });
  return (
    <>
      <h2 id="answer-title"><span id="answer-kind">{kind}</span></h2>
      <p class="soft words" id="condition-words">{words}.</p>
      <p class="notice" id="unused" hidden={unused === null}>{unused !== null && say("expert.page.this answer does not", { unused })}</p>
      <p class="notice" id="infeasible" hidden={isPossible}>{!isPossible && result.message}</p>
      <Feasible seen={seen} facts={facts} />
      <WithReviews seen={seen} />
    </>
  );
}

/** Draw both panels; returns what shows what is seen. */
export function mount(facts: Facts, classes: string[]): (seen: Seen) => void {
  const outcomes = byId("outcomes"), answer = byId("answer"), [matrix, rule] = [outcomes, answer].map((section) => section.querySelector("[data-view]")!);
  return (seen) => {
    const { result, reviewed, unused } = seen;
    outcomes.hidden = !result.confusion && !reviewed;
    for (const section of [outcomes, answer]) {
      section.classList.toggle("stale", unused !== null);
      section.classList.toggle("range", result.interval && !(reviewed && section === outcomes));
    }
    render(<Outcomes seen={seen} facts={facts} classes={classes} />, matrix!);
    render(<Rule seen={seen} facts={facts} />, rule!);
  };
}
