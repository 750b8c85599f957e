// A rule in words, as a text or in parts. Its words are those of wording.rules.
import { say } from "./answer/words";
import * as F from "./report_format.js";
import { isCut } from "./report_format.js";

const WHOLE = { never: say("expert.charts.flag no case"), always: say("expert.charts.flag every case") };

/** A rule, or a mixture, in parts: texts, {name}s and {number}s, and between rules strings; of one score the second rule flags what the first does, and more. */
function partsOf({ rules }) {
  const said = rules.map(({ rule }, i) => (isCut(rule)
    ? [{ name: rule.classifier }, { text: ` ${F.sign(rule)} ` }, { number: `threshold:${i}`, text: F.threshold(rule.threshold, rule.lower_is_positive) }] : [{ text: WHOLE[rule.kind] }]));
  if (rules.length === 1) return said[0];
  const [first, last] = rules.map(({ rule }) => rule), drawn = (i, text) => ({ number: `probability:${i}`, text });
  const some = drawn(1, F.rate(rules[1].probability));
  if (first.kind === "never" && last.kind === "always") return ["flag ", some, say("expert.rule.of the cases drawn")];
  if (first.kind === "never") return [say("expert.rule.a random"), some, say("expert.rule.of the cases with"), ...said[1]];
  if (last.kind === "always") return [...said[0], say("expert.rule.and a random"), some, say("expert.rule.of the other cases")];
  if (first.classifier === last.classifier) {
    const [high, low] = [first, last].map(({ threshold, lower_is_positive: lower }) => F.threshold(threshold, lower)), way = first.lower_is_positive ? "down" : "up";
    if (high === low) return [...said[0], say("expert.rule.and a random"), some, say("expert.rule.of the other cases with"), ...said[1]]; // as they are shown
    return [...said[0], say("expert.rule.and a random"), some, say("expert.rule.of those from"), { number: "threshold:1", text: low }, say("expert.rule.to", { way, high })];
  }
  return said.flatMap((each, i) => {
    const share = F.drawnShare(rules[i].probability, i), [before, after] = F.drawn(rules[i].probability, i).split(share);
    return [...(i ? [" or "] : []), ...each, before, drawn(i, share), after];
  });
}
const inWords = (point) => partsOf(point).map((part) => part.text ?? (part.name === undefined ? part : F.isolated(part.name))).join("");

/** Whether a threshold of a point has more digits than are shown. */
const isRounded = (point) => point !== null && point.rules.some(({ rule: { threshold = null } }) => threshold !== null && F.read(F.number(threshold)) !== Number(threshold));

export { partsOf, inWords, isRounded };
