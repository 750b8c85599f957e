// What the tables of the experts' part share.
import type { ComponentChildren } from "preact";
import type { sorting } from "../report_sort";
import { floor } from "../maths";

interface Props {
  label: string;
  caption?: ComponentChildren;
  look?: string;
  children: ComponentChildren;
}
/** A table that slides where it is wider than the window. */
export const Table = ({ label, caption = label, look, children }: Props) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}><table class={look}><caption>{caption}</caption>{children}</table></div>
);

interface HeadsProps {
  sort: ReturnType<typeof sorting> | false; // of few rows there is nothing to sort
  heads: ComponentChildren[];
  looks?: Record<number, string>;
  isHidden?: (i: number) => boolean;
  above?: ComponentChildren; // a row of heads of more than a column
}
/** Heads that sort the rows by their columns. */
export const Heads = ({ sort, heads, looks = {}, isHidden = () => false, above }: HeadsProps) => (
  <thead>{above}<tr>{heads.map((head, i) => (
    <th scope="col" class={i ? looks[i] : "text"} hidden={isHidden(i)} aria-sort={sort ? sort.at(i) : undefined}>{sort ? <button class="sort" onClick={() => sort.by(i)}>{head}</button> : head}</th>
  ))}</tr></thead>
);

const COLOURS = 6, DASHES = 4; // classes s0, s1, ... and w0, w1, ... of report.css, as in report/html.py
/** The name of the i-th classifier beside its colour and dash: 24 differ. */
export const Named = ({ name, i }: { name: string; i: number }) => (
  <span class="named"><span class={`swatch s${i % COLOURS} w${((i % COLOURS) + floor(i / COLOURS)) % DASHES}`} aria-hidden="true" /><bdi>{name}</bdi></span>
);
