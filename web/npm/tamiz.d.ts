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

/** Returns the registry of flags. */
export function flags(): FlagInfo[];

/** The version of the form that documents are written in. */
export const FORM_VERSION: number;
