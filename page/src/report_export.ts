// What one takes away from the page: the condition as a line to type, the rule as a policy or as SQL.
import { say } from "./answer/words";
import type { Facts } from "./report_facts.d";
import { rochullSave } from "./report_save";

/** Copy the text of a field: through the clipboard, or where a page may not use it by selecting. */
async function copy(field: HTMLTextAreaElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  }
}
const save = (name: string, type: string, text: string): void => rochullSave(name, new Blob([text], { type }));

/** The lines before those of a condition: what rh and hybrid are. */
export type Origin = Pick<Facts, "about" | "command" | "positive"> & { classifiers: { name: string; lower_is_positive: boolean }[] };
function origin({ about, command, classifiers, positive }: Origin): string {
  const text = JSON.stringify, { table, label, positive: name } = about || {} as Record<string, undefined>;
  const low = classifiers.filter((each) => each.lower_is_positive).map((each) => each.name);
  const more = low.length ? `, lower_is_positive=${text(low)}` : "";
  const made = command && table && label && name !== undefined
    ? `rh.Hybrid.from_table(${text(table)}, label=${text(label)}, scores=${text(classifiers.map((each) => each.name))}, pos_label=${text(name)}${more})`
    : say("expert.export.made of", { n: classifiers.length, positive: positive.replace(/\s/g, " ") });
  return `import rochull as rh\n\nhybrid = ${made}`;
}

export { copy, save, origin };
