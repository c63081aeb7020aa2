// The library in the page itself, as WebAssembly: nothing is sent anywhere. `cargo x site` bundles this in place of
// `api.ts`.

import { Canonicalizer, flags, initSync, Scorer } from "tamiz-wasm";

import type { Answer, Document, FlagInfo, Loaded, Options, Score } from "./answer.ts";
import type { Bytes } from "./bytes.ts";

/** Whether the page asks nobody. */
export const IS_LOCAL = true;

declare global {
  /** The library, compressed by gzip, as Base64: a script of its own, since a page from a folder may not fetch files. */
  var TAMIZ_WASM: string | undefined;
}

let started: Promise<void> | undefined;
const made = new Map<string, Canonicalizer>();
let scorer: Scorer | undefined;

/** The document of a request, with evidence. */
export function canonicalize(request: Bytes, options: Options, signal: AbortSignal): Promise<Answer<Document>> {
  return answer(signal, () => JSON.parse(canonicalizer(options).json(request, true)) as Document);
}

/** The tokens of a request, with a space between them. */
export function tokens(request: Bytes, options: Options, signal: AbortSignal): Promise<Answer<string>> {
  return answer(signal, () => canonicalizer(options).tokens(request));
}

/** The score of a request: by the model that was opened, else by flags alone. */
export function score(request: Bytes, signal: AbortSignal): Promise<Answer<Score>> {
  return answer(signal, () => JSON.parse((scorer ??= new Scorer()).score(request)) as Score);
}

/** Opens a model, or forgets the one that is open. One that cannot be used changes nothing. */
export const loadModel: ((model: Bytes | undefined) => Promise<Loaded>) | undefined = async (model) => {
  try {
    await (started ??= start());
    const opened = new Scorer(model);
    scorer?.free();
    scorer = opened;
    return { requests: opened.requests ?? 0 };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

/** The registry of flags. */
export function registry(): Promise<Answer<readonly FlagInfo[]>> {
  return answer(undefined, () => JSON.parse(flags()) as FlagInfo[]);
}

/** One canonicalizer for each choice of options. */
function canonicalizer({ view, profile }: Options): Canonicalizer {
  const name = `${view} ${profile}`;
  const known = made.get(name) ?? new Canonicalizer(view, profile);
  made.set(name, known);
  return known;
}

async function answer<T>(signal: AbortSignal | undefined, take: () => T): Promise<Answer<T>> {
  try {
    await (started ??= start());
    return signal?.aborted ? { kind: "dropped" } : { kind: "ok", value: take() };
  } catch (error) {
    console.error(error);
    return { kind: "offline" };
  }
}

/** Unpacks the library, once. */
async function start(): Promise<void> {
  const packed = Uint8Array.from(atob(globalThis.TAMIZ_WASM ?? ""), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  initSync({ module });
  globalThis.TAMIZ_WASM = undefined;
}
