// What is different between two lists: the fewest things left out and put in.

import { FLAGS_AT_END } from "./highlight.ts";

/** A step from one list to the other; `a` and `b` are places in them. */
export type Step =
  | { readonly kind: "same"; readonly a: number; readonly b: number }
  | { readonly kind: "left"; readonly a: number }
  | { readonly kind: "right"; readonly b: number };

/** Two lines side by side; one of them may be missing. */
export interface Row {
  readonly kind: "same" | "changed" | "left" | "right";
  readonly left?: string;
  readonly right?: string;
}

/** A part of a line, and whether the other line has it too. */
export interface Part {
  readonly text: string;
  readonly isShared: boolean;
}

/**
 * How two documents differ. They are the same; or they are but for what was odd about the spelling, which is flags,
 * and for the length of the headers as they came; or they say different things.
 */
export type Verdict = "same" | "spelling" | "different";

/** More than this many pairs are not compared: the table of them would fill memory. */
const MOST_PAIRS = 4_000_000;

/** The way from one list to the other, by the table of longest common ends. */
export function steps(left: readonly string[], right: readonly string[]): Step[] {
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  const [endA, endB] = [left.length - tail, right.length - tail];

  const width = endB - head + 1;
  const isComparable = (endA - head) * (endB - head) <= MOST_PAIRS;
  const common = new Uint32Array(isComparable ? (endA - head + 1) * width : 0);
  const at = (a: number, b: number) => common[(a - head) * width + (b - head)] ?? 0;
  for (let a = endA - 1; isComparable && a >= head; a--) {
    for (let b = endB - 1; b >= head; b--) {
      const longest = left[a] === right[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
      common[(a - head) * width + (b - head)] = longest;
    }
  }

  const way: Step[] = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const isInside = a >= head && b >= head && (a < endA || b < endB);
    if (!isInside || (isComparable && a < endA && b < endB && left[a] === right[b])) {
      way.push({ kind: "same", a: a++, b: b++ });
    } else if (b >= endB || (a < endA && at(a + 1, b) >= at(a, b + 1))) {
      way.push({ kind: "left", a: a++ });
    } else {
      way.push({ kind: "right", b: b++ });
    }
  }
  return way;
}

/** Two documents line by line; lines of one kind (`P:`, `H:host=`) that differ stand beside each other. */
export function rows(left: string, right: string): Row[] {
  const a = lines(left);
  const b = lines(right);
  const found: Row[] = [];
  let gone: string[] = [];
  let come: string[] = [];
  const flush = () => {
    for (const line of gone) {
      const partner = come.findIndex((other) => kindOf(other) === kindOf(line));
      if (partner < 0) {
        found.push({ kind: "left", left: line });
        continue;
      }
      for (const other of come.splice(0, partner)) found.push({ kind: "right", right: other });
      found.push({ kind: "changed", left: line, right: come.shift() ?? "" });
    }
    for (const line of come) found.push({ kind: "right", right: line });
    gone = [];
    come = [];
  };
  for (const step of steps(a, b)) {
    if (step.kind === "left") gone.push(a[step.a] ?? "");
    else if (step.kind === "right") come.push(b[step.b] ?? "");
    else {
      flush();
      found.push({ kind: "same", left: a[step.a] ?? "", right: b[step.b] ?? "" });
    }
  }
  flush();
  return found;
}

/** Two lines in parts, those that only one of them has told apart. */
export function parts(left: string, right: string): { left: Part[]; right: Part[] } {
  const a = words(left);
  const b = words(right);
  const found = { left: [] as Part[], right: [] as Part[] };
  const add = (side: Part[], text: string, isShared: boolean) => {
    const last = side.at(-1);
    if (last?.isShared === isShared) side[side.length - 1] = { text: last.text + text, isShared };
    else side.push({ text, isShared });
  };
  for (const step of steps(a, b)) {
    if (step.kind !== "right") add(found.left, a[step.a] ?? "", step.kind === "same");
    if (step.kind !== "left") add(found.right, b[step.b] ?? "", step.kind === "same");
  }
  return found;
}

/** How two documents differ. */
export function verdict(left: string, right: string): Verdict {
  if (left === right) return "same";
  return said(left) === said(right) ? "spelling" : "different";
}

/** A document without its flags, and without the length of its headers as they came. */
function said(document: string): string {
  return lines(document)
    .filter((line) => !/^(FLAGS|FAM):/.test(line))
    .map((line) => line.replace(FLAGS_AT_END, "").replace(/^(HCNT:\d+) HLEN:\S+$/, "$1"))
    .join("\n");
}

/** What stands before the value of a line: `P`, `H:host`. */
function kindOf(line: string): string {
  return /^(?:H|QK|BK):[^=]*|^[A-Z_]+/.exec(line)?.[0] ?? "";
}

function lines(document: string): string[] {
  return document.replace(/\n$/, "").split("\n");
}

function words(line: string): string[] {
  return line.match(/[\p{L}\p{N}_-]+|[^\p{L}\p{N}_-]/gu) ?? [];
}
