// The goal that experts set: sliders with one or two handles, and fields that take any valid number; a view of the page's state.
import type { ComponentChildren } from "preact";
import { render } from "preact";
import type { State } from "../answer/numbers";
import { say } from "../answer/words";
import { LIMITS, LIMIT_WORDS, fieldOf, goalOf, prevalenceWords, ratioWords } from "../report_controls";
import * as F from "../report_format";
import { create, type Rough } from "./asked";
import { STEPS, nearest } from "./steps";
import { isFinite, keys } from "../maths";

const TOLD: Record<string, [title: string, name: string, more: string]> = {
  max_fpr: [say("expert.goal.max_fpr"), say("expert.goal.max_fpr name"), say("expert.goal.max_fpr more")],
  min_recall: [say("expert.goal.min_recall"), say("expert.goal.min_recall name"), say("expert.goal.min_recall more")],
  min_precision: [say("expert.goal.min_precision"), say("expert.goal.min_precision name"), say("expert.goal.min_precision more")],
  fraction: [say("expert.goal.fraction"), say("expert.goal.fraction name"), say("expert.goal.fraction more")],
};
const dashed = (name: string) => name.replace("/", "-");

/** Put the panel into `root`, beside what it names; returns what shows a state that was asked for elsewhere. */
export function mount(root: HTMLElement, first: State, isUnasked: (state: State) => boolean, change: (state: State, unused: string | null, dragged: boolean) => void): (state: State) => void {
  const future = root.firstElementChild!, placed = (node: HTMLElement | null) => { node?.prepend(future); };
  let seen = first, isOpen = keys(first.within ?? {}).length > 0;
  const goal = create(first, isUnasked, (state, unused, dragged) => {
    seen = state;
    draw();
    change(state, unused, dragged);
  });

  function field(name: string, label?: string) {
    const isBeside = name.startsWith("w-"), [key, end] = (isBeside ? name.slice(2) : name).split("/") as [string, string?], typed = goal.texts.get(name);
    const value = isBeside ? goal.state.within[key] : key in goal.rough ? goal.ends(key as Rough)[end ? 1 : 0] : goal.state[key] as number;
    const text = value === undefined || !(isBeside || goal.isInForce(key)) ? "" : fieldOf(key, value);
    return <input type="text" inputMode="decimal" autocomplete="off" id={isBeside ? name : `f-${dashed(name)}`} {...{ [isBeside ? "data-within" : "data-field"]: isBeside ? key : name }}
      aria-label={label} aria-describedby={`e-${dashed(name)}`} aria-invalid={typed?.why ? "true" : undefined} value={typed ? typed.text : text}
      onInput={({ currentTarget }) => goal.typed(name, currentTarget.value)} onChange={settle} onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.select()} />;
  }
  const labelled = (name: string, text: string, label?: string) =>
    <span class="field"><label for={name.startsWith("w-") ? name : `f-${dashed(name)}`}>{text}</label>{field(name, label)}</span>;
  const fault = (name: string) => <p class="fault" id={`e-${dashed(name)}`} hidden={!goal.texts.get(name)?.why}>{goal.texts.get(name)?.why}</p>;
  const faults = (key: Rough) => <>{fault(key)}{goal.rough[key] && fault(`${key}/high`)}</>;
  function track(key: string, values: number[], names: string[], words: (value: number) => string) {
    const last = STEPS[key]!.length - 1, places = values.map((value) => nearest(key, value)), two = values.length > 1, isLeast = key.startsWith("min_");
    return (
      <div class={`track${key === "prevalence" ? "" : " foldable"}${two ? " two" : ""}`} data-slider={key}
        style={{ "--from": two || isLeast ? places[0]! / last : 0, "--to": two ? places[1]! / last : isLeast ? 1 : places[0]! / last }}>
        {values.map((value, side) => (
          // Of two handles at one place, the one that can still move lies on top.
          <input type="range" max={last} class={two && (side === 0) === (places[0]! > last / 2) ? "top" : ""} aria-label={names[side]} value={places[side]}
            aria-valuetext={isFinite(value) ? words(value) : say("expert.controls.only misses cost")}
            onInput={({ currentTarget }) => goal.slid(key, side, Number(currentTarget.value))} onChange={goal.released} />
        ))}
      </div>
    );
  }
  const handles = (key: Rough) => goal.ends(key).slice(0, goal.rough[key] ? 2 : 1);
  const aimed = (name: string, title: string, own: ComponentChildren, more: ComponentChildren) => (
    <div class={name === goal.state.goal ? "goal active" : "goal"} data-goal={name}>
      <div class="line"><label class="radio"><input type="radio" name="goal" value={name} checked={name === goal.state.goal} onChange={() => goal.aim(name)} /> {title}</label>{own}</div>
      {more}
    </div>
  );
  const check = (id: string, checked: boolean, text: string, ticked: (on: boolean) => void, name = "check", hidden = false) =>
    <label class={name} id={`${id}-part`} hidden={hidden}><input type="checkbox" id={id} checked={checked} onChange={({ currentTarget }) => ticked(currentTarget.checked)} /> {text}</label>;

  function View() {
    const { state, rough } = goal, count = keys(state.within).length, { cost_fp: fp } = state, own = state.own!;
    return (
      <>
        <fieldset class="goals">
          <legend class="visually-hidden">{say("expert.goal.goal")}</legend>
          {aimed("cost", say("expert.goal.lowest cost"), null, <>
            <p class="words foldable" id="ratio-words">{ratioWords(fp, state.cost_fn)}</p>
            {track("ratio", handles("cost_fn").map((cost) => (fp ? cost / fp : Infinity)), [say("expert.goal.ratio"), say("expert.goal.ratio most")], (ratio) => ratioWords(1, ratio))}
            <div class="fields">
              {labelled("cost_fp", say("expert.goal.false alarm"))}
              <span class="interval">{labelled("cost_fn", say("expert.goal.miss"))}{rough.cost_fn && labelled("cost_fn/high", say("expert.goal.to"), say("expert.goal.miss most"))}</span>
            </div>
            {fault("cost_fp")}{faults("cost_fn")}
            <p class="soft" id="unaimed" hidden={["cost", "report"].includes(state.goal)}>{say("expert.goal.unaimed")}</p>
            {check("rough-cost", rough.cost_fn, say("expert.goal.rough cost"), (on) => goal.blur("cost_fn", on), "check foldable")}
            <details class="within foldable" id="within" open={isOpen} onToggle={({ currentTarget }) => { isOpen = currentTarget.open; }}>
              <summary>{count ? say("expert.controls.within limits set", { count: F.count(count) }) : say("expert.controls.within limits")}</summary>
              <div class="fields">{LIMITS.map((key) => <>{labelled(`w-${key}`, TOLD[key]![0].replace(/^./, (letter) => letter.toLowerCase()))}{fault(`w-${key}`)}</>)}</div>
              <p class="soft">{say("expert.goal.no limit")}</p>
            </details>
          </>)}
          {LIMITS.map((key) => {
            const [title, name, more] = TOLD[key]!;
            return aimed(goalOf(key), title, <span class="field">{field(key, name)}</span>, <>
              <p class="words foldable">{more}</p>
              {track(key, [state[key] as number], [name], LIMIT_WORDS[key]!)}
              {fault(key)}
            </>);
          })}
          {/* Under precise costs a single threshold is best: there is nothing to allow. Of the report's own condition the page knows what was allowed. */}
          {check("mixtures", state.mixtures !== false, say("expert.goal.mixtures"), goal.mix, "check",
            state.goal === "report" ? !own.mixtures : state.goal === "cost" && !rough.cost_fn && !rough.prevalence && !count && state.mixtures !== false)}
        </fieldset>
        <fieldset class="goals prevalence">
          <legend class="visually-hidden">{say("expert.goal.prevalence")}</legend>
          <div class="line" ref={placed}><span class="interval"><span class="field">{field("prevalence", say("expert.goal.prevalence"))}</span>
            {rough.prevalence && labelled("prevalence/high", say("expert.goal.to"), say("expert.goal.prevalence most"))}</span></div>
          {track("prevalence", handles("prevalence"), [say("expert.goal.prevalence"), say("expert.goal.prevalence most")], prevalenceWords)}
          {faults("prevalence")}
          {check("rough-prevalence", rough.prevalence, say("expert.goal.rough prevalence"), (on) => goal.blur("prevalence", on))}
          <p class="soft">{say("report.assumed")}</p>
        </fieldset>
      </>
    );
  }
  const draw = () => render(<View />, root);
  function settle() {
    goal.settle();
    draw();
  }
  root.replaceChildren();
  draw();
  return (state) => {
    if (state === seen) return;
    seen = state;
    goal.set(state);
    isOpen ||= keys(state.within ?? {}).length > 0;
    draw();
  };
}
