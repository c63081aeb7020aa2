/** How requests are read. */
export interface Options {
  /** How values are shown: by shape and length (the default), or decoded and in clear, secrets still redacted. */
  readonly view?: "shape" | "literal";
  /** Which lines and flags are on; `standard` by default. */
  readonly profile?: "core" | "standard" | "full";
  /** The scheme of targets that name none; `http` by default. */
  readonly scheme?: "http" | "https" | "ws" | "wss";
}

/** A flag that was raised. */
export interface Raised {
  readonly name: string;
  readonly family: string;
  readonly weight: "evasion" | "notable" | "structural";
  /** What follows the colon of its name, such as `sql` of `KW:sql`. */
  readonly parameter?: string;
  /** The byte ranges of the request behind it: where each begins and ends. Only if it was asked for. */
  readonly evidence?: readonly (readonly [number, number])[];
  readonly [more: string]: unknown;
}

/** A document as a JSON object, with OpenTelemetry's names. `spec/schema.json` of the repository describes it. */
export interface Document {
  readonly "tamiz.text": string;
  readonly "tamiz.flags": readonly Raised[];
  readonly "tamiz.fingerprint": string;
  readonly [more: string]: unknown;
}

/** A flag of the registry. */
export interface FlagInfo {
  readonly name: string;
  readonly family: string;
  readonly weight: "evasion" | "notable" | "structural";
  readonly profile: "core" | "standard" | "full";
  readonly meaning: string;
  readonly why: string;
  readonly clause: string;
  readonly parameter: string | null;
  readonly classes: readonly { readonly parameter: string; readonly meaning: string; readonly why: string }[];
}

/** Turns requests into documents. It never fails, whatever the bytes; a string is taken as UTF-8. */
export class Canonicalizer {
  /** @throws Error if an option is not one of its words. */
  constructor(options?: Options);
  /** The identity of rules, tables and configuration: documents of one fingerprint can be compared. */
  readonly fingerprint: string;
  /** Returns the text of a request's document. */
  text(request: Uint8Array | string): string;
  /** Returns a request's document as an object; with `evidence`, flags carry the byte ranges that raised them. */
  document(request: Uint8Array | string, options?: { readonly evidence?: boolean }): Document;
  /** Returns the tokens of a request's document, for models that count words. */
  tokens(request: Uint8Array | string): string[];
}

/** A token that weighs in a score. */
export interface Reason {
  readonly token: string;
  /** How much it weighs, in bits. */
  readonly bits: number;
  /** Whether it is a flag that attacks raise more often. */
  readonly flag: boolean;
  /** In how many learned requests it was, and in how many its place was. */
  readonly count: number;
  readonly of: number;
  /** The reason in words. */
  readonly text: string;
  /** The bytes of the request that it is about: where each range starts and ends. */
  readonly evidence?: readonly (readonly [number, number])[];
  readonly [more: string]: unknown;
}

/** How unusual a request is. */
export interface Score {
  /** Higher is further from what was learned. */
  readonly score: number;
  /** The share of learned requests that score as high; `null` without a model. */
  readonly p_value: number | null;
  /** What is new or rare, and what the flags weigh, in bits. */
  readonly novelty: number;
  readonly flags: number;
  /** How many tokens were never seen at the endpoint. */
  readonly new: number;
  /** The tokens that weigh most, at most five. */
  readonly reasons: readonly Reason[];
}

/** Tells how unusual requests are, as `tamiz score` does, to the bit. */
export class Scorer {
  /**
   * `model` is a file of `tamiz learn`, whose configuration is a profile and a scheme; without one, flags alone score.
   * @throws Error if it is no model, or one of another configuration.
   */
  constructor(model?: Uint8Array);
  /** How many requests the model has learned. */
  readonly requests: number | undefined;
  /** Returns the score of a request. */
  score(request: Uint8Array | string): Score;
}

/** Returns the registry of flags. */
export function flags(): FlagInfo[];

/** The version of the form that documents are written in. */
export const FORM_VERSION: number;
