// What one takes away from the page: the condition as a line to type, the rule as a policy or as SQL.
import { say } from "./answer/words";
import * as rochullControls from "./report_controls.js";
import { rochullSave } from "./report_save.js";
import { boxOf, byId, findAll, on } from "./report_elements.js";


/** Copy the text of a field: through the clipboard, or where a page may not use it by selecting. */
async function copy(field) {
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
const save = (name, type, text) => rochullSave(name, new Blob([text], { type }));

/** The lines before those of a condition: what rh and hybrid are. */
function origin({ about, command, classifiers, positive }) {
  const text = JSON.stringify, { table, label, positive: name } = about || {};
  const low = classifiers.filter((each) => each.lower_is_positive).map((each) => each.name);
  const more = low.length ? `, lower_is_positive=${text(low)}` : "";
  const made = command && table && label && name !== undefined
    ? `rh.Hybrid.from_table(${text(table)}, label=${text(label)}, scores=${text(classifiers.map((each) => each.name))}, pos_label=${text(name)}${more})`
    : `...  # the rh.Hybrid that this report was made of, of ${classifiers.length} classifier${classifiers.length === 1 ? "" : "s"}; positive: ${positive.replace(/\s/g, " ")}`;
  return `import rochull as rh\n\nhybrid = ${made}`;
}
function dialogs({ model, facts, now, showRule }) {
  function opener(button, dialog, fill) {
    on(byId(button), "click", () => {
      fill();
      for (const done of byId(dialog).querySelectorAll(".done")) done.textContent = "";
      byId(dialog).showModal();
    });
  }
  for (const button of findAll("[data-close]")) {
    on(button, "click", () => button.closest("dialog").close());
  }
  for (const dialog of findAll("dialog")) {
    // A click beside the dialog closes it; one inside it hits an element of its own or its padding.
    on(dialog, "click", (event) => {
      if (event.target !== dialog) return;
      const box = boxOf(dialog);
      const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
      if (!inside) dialog.close();
    });
  }
  const tell = (button, text) => { button.closest("dialog").querySelector(".done").textContent = text; };
  for (const button of findAll("[data-copy]")) {
    on(button, "click", async () => {
      const done = await copy(byId(button.dataset.copy));
      tell(button, done ? "Copied." : say("expert.export.copying is not allowed"));
      if (done) button.focus();
    });
  }

  // --- the condition ------------------------------------------------------------------------------

  opener("open-copy", "copy-dialog", () => {
    const { state: { ...state }, review } = now();
    if (review) state.review = review;
    const command = model.commandLine(state);
    byId("copy-words").textContent = review ? `${rochullControls.words({ ...state, goal: "cost" })}; ${rochullControls.reviewWords(review)}.` : `${rochullControls.words(state)}.`;
    byId("copy-command").value = command || "";
    byId("copy-command-note").hidden = command !== null;
    byId("copy-command-part").hidden = command === null;
    byId("copy-python").value = `${origin(facts)}\n${model.python(state)}`;
  });

  // --- the rule -----------------------------------------------------------------------------------

  const dialect = byId("dialect"), key = byId("sql-key"), text = byId("sql-text");
  for (const [value, label] of model.dialects) dialect.append(new Option(label, value));
  const policy = model.policyJson();
  byId("policy-save").disabled = policy === null;
  byId("policy-why").hidden = policy !== null;
  byId("policy-why").textContent = policy === null ? say("expert.export.there is no policy") : "";
  on(byId("policy-save"), "click", () => {
    save("policy.json", "application/json", policy);
    tell(byId("policy-save"), say("expert.export.policy json saved"));
  });

  function writeSql() {
    const { state, result } = now();
    const mixed = result.chosen !== null && result.chosen.rules.length > 1;
    byId("key-field").hidden = byId("key-note").hidden = !mixed;
    const found = result.chosen === null ? { why: say("expert.export.no rule meets the") } : model.sql(result.chosen, dialect.value, key.value.trim() || null);
    const why = found.why || "";
    // An empty field is not a mistake yet, but a request.
    byId("sql-why").hidden = why === "";
    byId("sql-why").textContent = why;
    byId("sql-part").hidden = why !== "";
    text.value = found.text || "";
    text.dataset.goal = state.goal;
  }
  on(dialect, "change", writeSql);
  on(key, "input", writeSql);
  on(byId("sql-save"), "click", () => {
    const words = rochullControls.words(now().state);
    save("rule.sql", "application/sql", `-- ${words}\n${text.value}\n`);
    tell(byId("sql-save"), say("expert.export.rule sql saved"));
  });
  opener("open-rule", "rule-dialog", () => {
    showRule(byId("rule-dialog-rule"));
    writeSql();
  });
}

export { copy, save, origin, dialogs };
