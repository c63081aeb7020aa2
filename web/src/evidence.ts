// The flags of a document, and the parts of a request that they stand for. Evidence overlaps: the request is cut where
// any range begins or ends, and each piece knows all of its flags.

import { type Reading, spanOf } from "./bytes.ts";

export const WEIGHTS = ["evasion", "notable", "structural"] as const;

/** How much a flag tells: the first two are telling, the last is structural. */
export type Weight = (typeof WEIGHTS)[number];

/** A flag as the service gives it: one at one place. */
export interface Raised {
  readonly name: string;
  readonly parameter?: string;
  readonly place: string;
  readonly family: string;
  readonly weight: Weight;
  readonly evidence?: readonly (readonly [number, number])[];
}

/** A flag as people see it: once, with all its places. */
export interface Flag {
  readonly name: string;
  /** With its parameter, as documents write it: `KW:sql`. */
  readonly title: string;
  readonly family: string;
  readonly weight: Weight;
  readonly places: string[];
  readonly evidence: (readonly [number, number])[];
}

/** A piece of the text with the same flags throughout, by their numbers; an empty one marks a place. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly flags: readonly number[];
  readonly weight: Weight;
}

/** One entry for each flag and parameter, in the order of the document. */
export function gather(raised: readonly Raised[]): Flag[] {
  const flags = new Map<string, Flag>();
  const seen = new Set<string>();
  for (const { name, parameter, place, family, weight, evidence = [] } of raised) {
    const title = parameter === undefined ? name : `${name}:${parameter}`;
    const flag = flags.get(title) ?? { name, title, family, weight, places: [], evidence: [] };
    flags.set(title, flag);
    if (!flag.places.includes(place)) flag.places.push(place);
    for (const range of evidence) {
      const key = `${title} ${range}`;
      if (!seen.has(key)) flag.evidence.push(range);
      seen.add(key);
    }
  }
  return [...flags.values()];
}

/** Cuts the text into the pieces that have flags, in order. */
export function pieces(flags: readonly Flag[], reading: Reading): Piece[] {
  const begins = new Map<number, number[]>();
  const ends = new Map<number, number[]>();
  const points = new Map<number, number[]>();
  const add = (map: Map<number, number[]>, at: number, flag: number) => map.set(at, [...(map.get(at) ?? []), flag]);
  flags.forEach((flag, number) => {
    for (const [start, end] of flag.evidence) {
      const { from, to } = spanOf(reading, start, end);
      if (from === to) {
        add(points, from, number);
      } else {
        add(begins, from, number);
        add(ends, to, number);
      }
    }
  });
  const places = [...new Set([...begins.keys(), ...ends.keys(), ...points.keys()])].sort((a, b) => a - b);
  const open = new Map<number, number>();
  const found: Piece[] = [];
  const piece = (from: number, to: number, numbers: Iterable<number>) => {
    const unique = [...new Set(numbers)].sort((a, b) => a - b);
    found.push({ from, to, flags: unique, weight: heaviest(unique.map((number) => flags[number]?.weight)) });
  };
  places.forEach((place, at) => {
    for (const flag of ends.get(place) ?? []) {
      const left = (open.get(flag) ?? 1) - 1;
      if (left > 0) open.set(flag, left);
      else open.delete(flag);
    }
    for (const flag of begins.get(place) ?? []) open.set(flag, (open.get(flag) ?? 0) + 1);
    const here = points.get(place);
    if (here) piece(place, place, here);
    const next = places[at + 1];
    if (next !== undefined && open.size > 0) piece(place, next, open.keys());
  });
  return found;
}

/** The weight that tells most. */
export function heaviest(weights: readonly (Weight | undefined)[]): Weight {
  return WEIGHTS.find((weight) => weights.includes(weight)) ?? "structural";
}
