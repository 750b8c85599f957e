// What each classifier alone would lose, at its best threshold.
import { Component, render } from "preact";
import { Around, say } from "../answer/words";
import * as F from "../report_format";
import type { Answer, Loss } from "../report_found";
import { sorting } from "../report_sort";
import { Glossed } from "./Panel";
import { Heads, Named, Table } from "./Table";
import { isFinite, max, min } from "../maths";

/** What using one classifier alone loses, by what the condition optimises; wording.py says the same. */
const LOSSES: Record<string, string> = {
  "expected cost": say("expert.losses.extra cost per case"), tpr: say("expert.losses.fewer positives caught"), fpr: say("expert.losses.more negatives wrongly flagged"),
};
const MANY = 8; // classifiers, of which those that are never better are folded away
const said = (value: number, measure: string) => (measure === "tpr" || measure === "fpr" ? say("report.points", { x: F.number(Number((100 * value).toFixed(2))) }) : F.number(value));

interface Props {
  classifiers: { name: string; on_hull: boolean }[];
  result: Pick<Answer, "regret" | "measure" | "interval">;
  more: string | null; // what the rules are, "mixed" or "single"; null where a single threshold is best
  plain: boolean; // it is said that there are no reviews
}
class Alone extends Component<Props, { isFolded: boolean }> {
  state = { isFolded: true };
  sort = sorting(() => this.forceUpdate());

  render({ classifiers, result: { regret, measure, interval }, more, plain }: Props, { isFolded }: { isFolded: boolean }) {
    const values = regret.map(({ value }) => value), most = max(...values.filter(isFinite), 0), least = min(...values), { sort } = this;
    const length = classifiers.length > MANY ? classifiers.filter(({ on_hull: isOn }) => !isOn).length : 0;
    const rows = sort.of(regret.map((each) => ({ ...each, key: each.name })), ({ name, point, value }: Loss, i: number) => [name, point?.fpr ?? NaN, point?.tpr ?? NaN, value][i]!);
    return (
      <>
        <h2 id="alone-title">{say("expert.losses.title")}</h2>
        <Table look="alone" label={say("expert.losses.label")} caption={<>
          {say("page.alone")}{plain && say("report.page.without reviews")}
          {more === "mixed" ? <Around say="page.alone.mixed" parts={{ term: <Glossed text="mixtures" /> }} /> : more && say("page.alone.single")}
        </>}>
          <Heads sort={sort} heads={["classifier", say("report.wrongly flagged"), say("report.caught"), `${interval ? say("expert.losses.at worst") : ""}${LOSSES[measure] ?? measure ?? ""}`]} looks={{ 3: "wide" }} />
          <tbody id="alone-rows">{rows.map(({ name, point, value }) => {
            const i = classifiers.findIndex((each) => each.name === name), isBest = isFinite(value) && value === least;
            return (
              <tr key={name} class={isBest ? "best" : undefined} hidden={isFolded && length > 0 && !classifiers[i]!.on_hull}>
                <th scope="row"><Named name={name} i={i} />{isBest && <span class="mark">{say("expert.losses.best on these")}</span>}</th>
                {(["fpr", "tpr"] as const).map((key) => <td data-key={`regret_${key}:${i}`} data-value={point?.[key] ?? ""}>{F.rate(point && point[key])}</td>)}
                <td class="bar-cell"><span class="loss" aria-hidden="true" style={{ "--loss": most > 0 && isFinite(value) ? value / most : 0 }} />
                  <span data-key={`regret:${i}`} data-value={value}>{isFinite(value) ? said(value, measure) : say("page.cannot meet it")}</span></td>
              </tr>
            );
          })}</tbody>
        </Table>
        {length > 0 && <button aria-expanded={!isFolded} onClick={() => this.setState({ isFolded: !isFolded })}>{say("expert.outcomes.the that are never", { more: isFolded ? "Show" : "Hide", length })}</button>}
        <p class="soft"><Around say="expert.losses.regret" slots={{ range: interval ? say("expert.losses.range") : "" }} parts={{ term: <Glossed text="regret" /> }} /></p>
      </>
    );
  }
}
export const draw = (props: Props): void => render(<Alone {...props} />, document.getElementById("alone")!);
