// A rule in words: as a text, and as a line whose parts stay in place while their numbers change.
"use strict";
const rochullRule = (() => {
  const F = rochullFormat;
  const WHOLE = { never: "flag no case", always: "flag every case" };
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

  /** Lines that write live numbers: each takes the node, and the keys of its numbers; it returns what shows a point. */
  const lines = (live) => (node, keys) => {
    const part = () => {
      const made = { box: document.createElement("span"), name: document.createElement("bdi"), sign: document.createElement("span"),
        threshold: document.createElement("span"), share: document.createElement("span"), rest: document.createElement("span") };
      made.box.append(made.name, made.sign, made.threshold, made.rest, made.share);
      made.share.className = "share";
      return made;
    };
    const parts = [part(), part()], or = document.createElement("span");
    or.className = "or";
    node.replaceChildren(parts[0].box, or, parts[1].box);
    if (keys) {
      parts.forEach((each, j) => {
        if (keys.threshold(j) === null) return;
        each.threshold.dataset.key = keys.threshold(j);
        if (!keys.probability) return;
        const number = document.createElement("span");
        number.dataset.key = keys.probability(j);
        each.around = [document.createElement("span"), document.createElement("span")];
        each.share.append(each.around[0], number, each.around[1]);
      });
      live.adopt(node);
    }
    return (point) => {
      const rules = point ? point.rules : [];
      or.hidden = rules.length < 2;
      put(or, rules.length > 1 ? " or " : ""); // what is hidden is empty too, for whoever reads the text
      parts.forEach((each, j) => {
        const given = rules[j], rule = given && given.rule, isThreshold = Boolean(rule) && rule.kind === "threshold";
        each.box.hidden = !given;
        for (const piece of [each.name, each.sign, each.threshold]) piece.hidden = !isThreshold;
        put(each.name, isThreshold ? rule.classifier : "");
        put(each.sign, isThreshold ? ` ${F.sign(rule)} ` : "");
        put(each.rest, rule && !isThreshold ? WHOLE[rule.kind] : "");
        const text = isThreshold ? F.threshold(rule.threshold) : "";
        const mixed = rules.length > 1;
        each.share.hidden = !mixed;
        if (keys) {
          live.write(keys.threshold(j), isThreshold ? rule.threshold : null, text);
          if (!keys.probability) return;
          live.write(keys.probability(j), given ? given.probability : null, given ? F.drawnShare(given.probability, j) : "");
          each.around.forEach((node, i) => put(node, mixed ? F.drawn(given.probability, j).split(F.drawnShare(given.probability, j))[i] : ""));
        } else {
          put(each.threshold, text);
          put(each.share, mixed ? F.drawn(given.probability, j) : "");
        }
      });
    };
  };
  const inWords = (point) => point.rules.map(({ rule, probability }, i) => {
    const said = rule.kind === "threshold" ? `${F.isolated(rule.classifier)} ${F.sign(rule)} ${F.threshold(rule.threshold)}` : WHOLE[rule.kind];
    return point.rules.length > 1 ? said + F.drawn(probability, i) : said;
  }).join(" or ");

  return { lines, inWords };
})();
