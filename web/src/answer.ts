// What can be asked about a request, and what becomes of a question, whoever answers it.

import type { Raised, Weight } from "./evidence.ts";

export const VIEWS = ["shape", "literal"] as const;
export const PROFILES = ["core", "standard", "full"] as const;

export type View = (typeof VIEWS)[number];
export type Profile = (typeof PROFILES)[number];

/** How requests are read. */
export interface Options {
  readonly view: View;
  readonly profile: Profile;
}

/** The document as JSON; what the page looks into. */
export interface Document {
  readonly "tamiz.text": string;
  readonly "tamiz.flags": readonly Raised[];
  readonly "tamiz.fingerprint": string;
}

/** A flag of the registry. */
export interface FlagInfo {
  readonly name: string;
  readonly family: string;
  readonly weight: Weight;
  readonly profile: string;
  readonly meaning: string;
  readonly why: string;
  readonly clause: string;
  /** What single parameters say, where they have texts of their own. */
  readonly classes: readonly FlagClass[];
}

/** What a flag says with one parameter. */
export interface FlagClass {
  readonly parameter: string;
  readonly meaning: string;
  readonly why: string;
}

/** A token that weighs in a score. */
export interface Reason {
  readonly token: string;
  readonly bits: number;
  /** In words, with code between backquotes. */
  readonly text: string;
}

/** How unusual a request is. */
export interface Score {
  readonly score: number;
  /** The share of learned requests that score as high; without a model, none. */
  readonly p_value: number | null;
  /** What is new or rare, and what the flags weigh, in bits. */
  readonly novelty: number;
  readonly flags: number;
  /** How many tokens were never seen. */
  readonly new: number;
  readonly reasons: readonly Reason[];
}

/** What became of a model that was opened. */
export type Loaded = { readonly requests: number } | { readonly error: string };

/** What became of a question. */
export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  /** Nobody answers. */
  | { readonly kind: "offline" }
  /** To be asked again, after so many milliseconds. */
  | { readonly kind: "busy"; readonly after: number }
  | { readonly kind: "refused"; readonly status: number }
  /** The one who asked does not want to know any more. */
  | { readonly kind: "dropped" };
