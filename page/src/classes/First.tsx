// The first screen: what becomes of the cases of each class, as bars: those that are right first, then those taken for others.
import { say } from "../answer/words";
import { Label } from "./parts";
import type { View } from "./view";
import { floor } from "../maths";

const ROWS = 8;
const whole = (x: number) => floor(x + 0.5), sum = (row: number[]) => row.reduce((a, b) => a + b, 0);

export function Picture({ data, names, state: { limits }, p }: View) {
  const rows = names.map((name, i) => ({ name, i, counts: data.confusion[p]![i]!, error: data.errors[p]![i]! }));
  const shown = rows.length > ROWS ? rows.sort((a, b) => b.error - a.error).slice(0, ROWS) : rows;
  const limitOf = (i: number) => limits.find((each) => each.kind === "error" && each.true === i && each.side === "<=");
  return <>
    <p class="cap">{say("page.classes.told", { limits: shown.some(({ i }) => limitOf(i)) ? "yes" : "no" })}</p>
    <dl>{shown.map(({ name, i, counts }) => {
      const all = sum(counts), limit = limitOf(i);
      return (
        <div><dt><Label name={name} /></dt>
          <dd><span class="class-bar" aria-hidden="true">
            {names.map((_, j) => j).sort((a, b) => Number(b === i) - Number(a === i)).map((j) => <span class={j === i ? "o-tp" : "o-fn"} title={names[j]} style={{ width: `${(100 * counts[j]!) / all}%` }} />)}
            {limit && <span class="class-limit" style={{ left: `${100 * (1 - limit.limit)}%` }} />}</span>
            <span class="n">{say("page.class.mistaken", { n: whole(all - counts[i]!), of: whole(all) })}</span></dd></div>
      );
    })}</dl>
    {rows.length > ROWS && <p class="cap">{say("answer.classes.rest", { n: rows.length - ROWS })}</p>}
  </>;
}
