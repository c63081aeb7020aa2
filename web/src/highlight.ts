// What a reader tells apart in a document and in JSON, by colour.

import { el } from "./dom.ts";
import type { Weight } from "./evidence.ts";

/** A part of a text, and what it is; flags have their name beside them. */
export interface Token {
  readonly text: string;
  readonly kind: "" | "tag" | "key" | "marker" | "secret" | "flag" | "measure" | "string" | "literal";
  readonly flag?: string;
}

/** The parts of a document, line by line. */
export function documentTokens(text: string): Token[][] {
  return text.replace(/\n$/, "").split("\n").map(lineTokens);
}

/** A document in colour, each line for itself; flags know their names, by `data-flag`. */
export function documentLines(text: string, weights: ReadonlyMap<string, Weight>): HTMLElement[] {
  const part = (token: Token) => {
    const node = piece(token);
    if (node instanceof HTMLElement && token.flag !== undefined) {
      node.classList.add(`w-${weights.get(token.flag) ?? "structural"}`);
    }
    return node;
  };
  return documentTokens(text).map((tokens) => el("span", { class: "line" }, ...tokens.map(part), "\n"));
}

/** JSON as people read it, pairs of numbers on one line. */
export function prettyJson(value: unknown): string {
  // No string holds a raw line end, so only layout is changed.
  return JSON.stringify(value, null, 2).replace(/\[\n\s+(\d+),\n\s+(\d+)\n\s+\]/g, "[$1, $2]");
}

/** JSON in colour. */
export function jsonTokens(json: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  for (const match of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g)) {
    if (match.index > at) found.push({ text: json.slice(at, match.index), kind: "" });
    const [all, string, colon] = match;
    if (string === undefined) found.push({ text: all, kind: "literal" });
    else found.push({ text: string, kind: colon === undefined ? "string" : "key" });
    if (colon !== undefined) found.push({ text: colon, kind: "" });
    at = match.index + all.length;
  }
  if (at < json.length) found.push({ text: json.slice(at), kind: "" });
  return found;
}

/** A part as it goes into the page. */
export function piece({ text, kind, flag }: Token): Node {
  if (kind === "") return document.createTextNode(text);
  return el("span", flag === undefined ? { class: `t-${kind}` } : { class: `t-${kind}`, "data-flag": flag }, text);
}

/** The flags at the end of a line, as clause 9.5 writes them; parameters have no white space in them. */
export const FLAGS_AT_END = /(?: \[[A-Z0-9_]+(?::\S*)?\])+$/;

function lineTokens(line: string): Token[] {
  const all = /^FLAGS:\[(.*)\]$/.exec(line)?.[1];
  if (all !== undefined) {
    const space: Token = { text: " ", kind: "" };
    const names = all.split(" ").flatMap<Token>((flag) => [space, { text: flag, kind: "flag", flag }]);
    return [{ text: "FLAGS:", kind: "tag" }, { text: "[", kind: "" }, ...names.slice(1), { text: "]", kind: "" }];
  }
  const flags = FLAGS_AT_END.exec(line);
  const end = flags ? flags.index : line.length;
  const tag = /^[A-Z_]+:/.exec(line)?.[0] ?? "";
  const name = /^(?:H|QK|BK):$/.test(tag) ? (/^[^=]*/.exec(line.slice(tag.length, end))?.[0] ?? "") : "";
  const found: Token[] = [{ text: tag, kind: "tag" }, { text: name, kind: "key" }];
  for (const part of line.slice(tag.length + name.length, end).split(/(<[^<>\s]*>|\b[A-Z]{4}:\d\S*|\d+@\d\S*)/)) {
    if (part.startsWith("<SECRET")) found.push({ text: part, kind: "secret" });
    else if (/^<.*>$/.test(part)) found.push({ text: part, kind: "marker" });
    else if (/^(?:[A-Z]{4}:\d|\d+@\d)/.test(part)) found.push({ text: part, kind: "measure" });
    else found.push({ text: part, kind: "" });
  }
  for (const flag of flags?.[0].trim().split(" ") ?? []) {
    found.push({ text: " ", kind: "" }, { text: flag, kind: "flag", flag: flag.slice(1, -1) });
  }
  return found.filter(({ text }) => text !== "");
}
