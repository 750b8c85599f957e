// The controls of the answer, in one line: what a miss costs, how many cases are positive, limits, a range.
import { Component, type ComponentChildren } from "preact";
import * as F from "../report_format";
import type { Reviewing, State } from "./numbers";
import type { Chip, View } from "./seen";
import { limitsOf, type AnswerFacts, type Limit } from "./situation";
import { Around, Link, say } from "./words";
import { ceil, entries, floor, fromEntries, log10, rounded, sqrt } from "../maths";

const LIMITS: Limit[] = ["max_fpr", "min_recall", "min_precision", "fraction"], SLIDER = { low: -2, high: 3, step: 0.02 };
const two = (x: number) => rounded(x, 2);

interface FieldProps {
  label: string;
  value: number;
  isShare?: boolean;
  change: (value: number) => void;
}
/** A number in a sentence: what is typed counts as soon as it is a number that can be. */
class Field extends Component<FieldProps, { typed: string | null }> {
  state = { typed: null };
  type = (typed: string | null) => this.setState({ typed });

  render({ label, value, isShare = false, change }: FieldProps, { typed }: { typed: string | null }) {
    const shown = isShare ? F.inPercent(rounded(value, 4)) : F.field(rounded(value, 6));
    const read = (text: string) => (isShare ? F.percentage(text) : F.read(text)), good = (x: number) => x >= 0 && x < Infinity && (!isShare || x <= 1);
    return (
      <input class="field" type="text" inputMode="decimal" autocomplete="off" spellcheck={false} aria-label={label} aria-invalid={typed !== null && !good(read(typed))} size={Math.max(2, (typed ?? shown).length)}
        value={typed ?? shown} onFocus={(event) => (event.currentTarget as HTMLInputElement).select()} onBlur={() => this.type(null)}
        onKeyDown={(event) => { if (event.key === "Enter") this.type(null); }}
        onInput={({ currentTarget: { value: text } }) => {
          this.type(text);
          if (text.trim() !== "" && good(read(text))) change(read(text));
        }} />
    );
  }
}

/** A limit that changes nothing yet: the rate of the rule, rounded to the side that it keeps. */
function begun(name: Limit, { rates, costs: { p } }: View): number {
  const { fpr, tpr } = rates ?? { fpr: 0.1, tpr: 0.9 }, flagged = p * tpr + (1 - p) * fpr, value = { max_fpr: fpr, min_recall: tpr, min_precision: flagged ? (p * tpr) / flagged : 1, fraction: flagged }[name];
  return (name.startsWith("min") ? floor : ceil)(100 * value) / 100;
}
/** A limit on reviews that changes nothing yet. */
const begunReviews = ({ seen: { reviewed } }: View): number => ceil(100 * reviewed!.review_rate) / 100;
const keyOf = (state: State): string => (state.goal === "capacity" ? "fraction" : state.goal);

export interface ControlsProps {
  view: View;
  answer: AnswerFacts;
  change: (state: State) => void;
  asked: Reviewing;
  review: (asked: Reviewing | null) => void;
  chips: Chip[];
}
/** The range that there was, before one number took its place. */
let before: [number, number] | null = null;
export function Controls({ view, answer, change, asked, review, chips }: ControlsProps) {
  const { state, reviewed } = view.seen, { positive, negative, case: each, unit } = answer.names, slots = { positive, negative, case: each, unit: unit ?? "" };
  const set = (more: Partial<State>) => change({ ...state, ...more } as State);
  if (state.goal === "report") return <div class="ask"><span>{say("page.fixed")}</span><Link act={() => change(state.own ? { ...state, goal: "cost" } : state)}>{say("page.free")}</Link></div>;
  const [low, high] = [state.cost_fn].flat() as [number, number?], isRange = high !== undefined, isFree = state.goal === "cost";
  const limits = limitsOf(state), left = LIMITS.filter((name) => !limits.some(([other]) => other === name));
  const limit = (name: Limit, value: number) => (isFree ? set({ within: { ...state.within, [name]: value } }) : set({ [keyOf(state)]: value }));
  const remove = (name: Limit) => (isFree ? set({ within: fromEntries(entries(state.within).filter(([other]) => other !== name)) }) : set({ goal: "cost", within: {} }));
  const add = (name: Limit) => set({ goal: "cost", within: { ...Object.fromEntries(limits), [name]: begun(name, view) } });
  const miss = (value: number) => set({ goal: "cost", cost_fn: isRange ? [Math.min(value, high), high] : value });
  const one = (cost_fn: number) => {
    before = [low, high!];
    set({ cost_fn });
  };
  const ratio = log10(Math.max(1e-3, low / (state.cost_fp || 1))), [p, most] = [state.prevalence].flat() as [number, number?];
  const share = (prevalence: number | [number, number]) => [prevalence].flat().every((x) => x > 0 && x < 1) && set({ prevalence });
  const parts: Record<string, ComponentChildren> = {
    fn: <Field label={say("page.miss.name")} value={low} change={miss} />,
    fp: <Field label={say("page.alarm.name")} value={state.cost_fp} change={(cost_fp) => set({ goal: "cost", cost_fp })} />,
    to: isRange && <Field label={say("page.miss.most")} value={high} change={(value) => set({ cost_fn: [Math.min(low, value), value] })} />,
  };
  const sentence = `page.miss${isRange ? ".range" : ""}${unit || state.cost_fp !== 1 ? ".unit" : ""}`;
  return (
    <div class="ask" role="group" aria-label={say("page.ask")}>
      {isFree && <span class="part"><Around say={sentence} slots={slots} parts={parts} /></span>}
      {isFree && !isRange && <input type="range" min={SLIDER.low} max={SLIDER.high} step={SLIDER.step} value={ratio} aria-label={say("page.miss.name")} aria-valuetext={F.number(low)}
        onInput={({ currentTarget: { value } }) => miss(rounded((state.cost_fp || 1) * two(10 ** Number(value)), 6))} />}
      {chips.length > 0 && (
        <span class="chips" role="group" aria-label={say("page.chips")}>
          {chips.map(({ fn, cutoff }) => <button aria-label={say("page.chip.name", { fn, cutoff })} onClick={() => one(fn)}>{say("page.chip", { fn, cutoff })}</button>)}
        </span>
      )}
      <span class="part"><Around say={most === undefined ? "page.share" : "page.share.range"} slots={slots} parts={{
        p: <Field label={say("page.share.name", slots)} value={p} isShare change={(x) => share(most === undefined ? x : [Math.min(x, most), most])} />,
        to: most !== undefined && <Field label={say("page.share.most", slots)} value={most} isShare change={(x) => share([Math.min(p, x), x])} />,
      }} /></span>
      {limits.map(([name, value]) => (
        <span class="part limit" key={name}><Around say={`page.limit.${name}`} slots={slots} parts={{ x: <Field label={say(`page.limit.${name}.name`, slots)} value={value} isShare change={(x) => limit(name, x)} /> }} />
          <button class="drop" aria-label={say("page.limit.drop", { ...slots, limit: say(`page.limit.${name}.name`, slots) })} onClick={() => remove(name)}>×</button></span>
      ))}
      {reviewed && (
        <span class="part limit"><Around say="page.review" slots={slots} parts={{ cost: <Field label={say("page.review.name")} value={asked.cost} change={(cost) => review({ ...asked, cost })} /> }} />
          {asked.most < 1 && <Around say="page.review.most" slots={slots} parts={{ x: <Field label={say("page.review.most.name", slots)} value={asked.most} isShare change={(most) => review({ ...asked, most })} /> }} />}
          <button class="drop" aria-label={say("page.review.drop")} onClick={() => review(null)}>×</button></span>
      )}
      <span class="more">
        {(left.length > 0 || !limits.length) && (!reviewed || asked.most === 1) && (
          <select aria-label={say("page.limit.add")} value="" onChange={({ currentTarget }) => {
            const name = currentTarget.value;
            if (name === "review") review(reviewed ? { ...asked, most: begunReviews(view) } : asked); else add(name as Limit);
            currentTarget.value = "";
          }}>
            <option value="">{say("page.limit.add")}</option>
            {!reviewed && left.map((name) => <option value={name}>{say(`page.limit.${name}.name`, slots)}</option>)}
            {isFree && !limits.length && !isRange && <option value="review">{say(reviewed ? "page.review.most.name" : "page.review.ask", slots)}</option>}
          </select>
        )}
        {isFree && !reviewed && (limits.length === 0 || state.mixtures === false) && (
          <Link act={() => {
            if (isRange) return one(two(sqrt(low * high)));
            set({ cost_fn: before ?? [two(low / 2), two(low * 2)] });
          }}>{say(isRange ? "page.one" : "page.range.ask")}</Link>
        )}
      </span>
    </div>
  );
}
