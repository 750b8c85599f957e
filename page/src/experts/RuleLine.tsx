// A rule as a line whose numbers are live.
import { render } from "preact";
import type { Point } from "../answer/numbers";
import { partsOf } from "../report_rule";

type Keys = Partial<Record<string, string>>;

/** The line of a rule, or of a mixture; `keys` say which of its numbers are live, and stand there also where it has none. */
export function RuleLine({ point, keys = {} }: { point: Point | null; keys?: Keys }) {
  const parts = point ? partsOf(point) : [], told = new Set(parts.map((part) => (typeof part === "string" ? null : part.number)));
  const live = (number: string, text: string) => {
    const [kind, i] = number.split(":"), rule = point?.rules[Number(i)];
    return <span data-key={keys[number]} data-value={String((kind === "probability" ? rule?.probability : rule?.rule.threshold) ?? "")}>{text}</span>;
  };
  return (
    <>
      {parts.map((part) => (typeof part === "string" ? <span class="and">{part}</span> : part.number ? live(part.number, part.text!) : part.name !== undefined ? <bdi>{part.name}</bdi> : <span>{part.text}</span>))}
      {Object.keys(keys).filter((number) => !told.has(number)).map((number) => live(number, ""))}
    </>
  );
}
export const draw = (point: Point | null, root: HTMLElement): void => render(<RuleLine point={point} />, root);
