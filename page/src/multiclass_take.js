// What is taken along of the rule that is seen: command line, Python, policy and SQL.
import { say } from "./answer/words";
import { node, on, button, label, copyable } from "./multiclass_parts.js";
import * as rochullExport from "./report_export.js";

export const rochullMulticlassTake = (view) => {
  const { facts, data, state, words, id } = view;
  const breaks = node("p", { class: "breaks", hidden: true });
  const copied = node("p", { class: "soft copied", role: "status", "aria-live": "polite" });
  const commandLine = copyable(id("command"), say("expert.classes take.command line"), copied, 3);
  const python = copyable(id("code"), "Python", copied, 4);
  const sql = copyable(id("sql"), say("expert.classes take.sql expression"), copied, 6);
  const dialect = on(node("select", { id: id("dialect") }, ...data.dialects.map((name) => node("option", { value: name }, name))),
    "change", () => draw());

  function draw() {
    commandLine.show(data.commandLine(state));
    python.show({ text: data.python(state) });
    const made = data.sql(state.index, dialect.value);
    sql.show(made);
    [sqlFile.hidden, policyFile.hidden, noPolicy.hidden] = [made.text === undefined, !facts.deploy.policy, Boolean(facts.deploy.policy)];
    copied.textContent = "";
    const broken = state.limits.filter((limit) => data.excess(limit, state.index) > 0);
    breaks.hidden = broken.length === 0;
    breaks.replaceChildren(...(broken.length ? [say("expert.classes take.this rule which is", { more: broken.length === 1 ? "a limit" : "limits" }),
      ...broken.flatMap((limit, n) => [n ? "; " : "", label(words.limit(limit))]), "."] : []));
  }
  const policyFile = button(say("expert.classes take.policy"), () => rochullExport.save(`policy-point-${state.index}.json`, "application/json", data.policy(state.index).text));
  const sqlFile = button(say("expert.classes take.sql"), () => rochullExport.save(`point-${state.index}-${dialect.value}.sql`, "application/sql", `${data.sql(state.index, dialect.value).text}\n`));
  const noPolicy = node("p", { class: "soft" }, say("expert.classes take.there is no policy"), label(facts.deploy.why || ""));

  const parts = [breaks,
    node("div", { class: "sides even" },
      node("div", {}, node("h3", {}, say("page.copy code")),
        node("p", { class: "soft" }, say("expert.classes take.limits goal and costs")),
        commandLine.box, python.box),
      node("div", {}, node("h3", {}, say("page.download the rule")),
        node("p", { class: "soft" }, say("expert.classes take.the selected rule to")),
        node("p", { class: "files" }, policyFile, sqlFile, node("label", { for: id("dialect") }, say("expert.classes take.for")), dialect), noPolicy, sql.box)),
    copied];
  return { parts, draw };
};
