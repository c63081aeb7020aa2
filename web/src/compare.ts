// Two documents side by side, and whether they are one.

import { parts, type Row, rows, verdict } from "./diff.ts";
import { el } from "./dom.ts";
import type { Words } from "./i18n/index.ts";

/** Shows what is different. On a narrow screen the lines of a pair stand below each other. */
export function showComparison(root: HTMLElement, left: string, right: string, words: Words): void {
  const all = rows(left, right);
  const outcome = verdict(left, right);
  const changed = all.filter(({ kind }) => kind !== "same").length;
  const note = outcome === "different" ? words["verdictNote.different"](changed) : words[`verdictNote.${outcome}`];
  const heading = el("p", { class: `verdict ${outcome}` }, el("strong", {}, words[`verdict.${outcome}`]), " ", note);
  root.replaceChildren(heading, el("ol", { class: "diff" }, ...all.map((row) => line(row, words))));
}

function line(row: Row, words: Words): HTMLElement {
  const cut = row.kind === "changed" ? parts(row.left ?? "", row.right ?? "") : undefined;
  const cell = (side: "left" | "right", name: "del" | "ins") => {
    const whole = row[side];
    if (whole === undefined) return el("div", { class: `cell ${side} absent` });
    if (!cut) return el("div", { class: `cell ${side}` }, row.kind === "same" ? whole : el(name, {}, whole));
    const pieces = cut[side].map(({ text, isShared }) => (isShared ? text : el(name, {}, text)));
    return el("div", { class: `cell ${side}` }, ...pieces);
  };
  const label = row.kind === "same" ? [] : [el("span", { class: "unseen" }, `${words[`row.${row.kind}`]}: `)];
  return el("li", { class: row.kind }, ...label, cell("left", "del"), cell("right", "ins"));
}
