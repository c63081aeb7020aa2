// A link that holds requests in its fragment, which browsers keep to themselves: `#a=…&b=…&view=…&profile=…`.
//
// A request is base64url behind one letter: `p` for its bytes as they are, `d` for the same deflated, whichever is
// shorter. Bytes and not text, so that who opens the link sees the very request.

import type { Bytes } from "./bytes.ts";

/** What a link says. */
export interface Shared {
  readonly first: Bytes;
  readonly second?: Bytes | undefined;
  readonly view: string;
  readonly profile: string;
}

/** The longest request that a link is read for; deflated, a short link can be an endless request. */
const MOST_BYTES = 4 << 20;

/** The fragment for what is shared, without its `#`. */
export async function fragment(shared: Shared): Promise<string> {
  const parts = [`a=${await pack(shared.first)}`];
  if (shared.second) parts.push(`b=${await pack(shared.second)}`);
  parts.push(`view=${shared.view}`, `profile=${shared.profile}`);
  return parts.join("&");
}

/** What a fragment says; `undefined` for one that says nothing. Throws where it is broken. */
export async function parseFragment(text: string): Promise<Shared | undefined> {
  const values = new Map(text.replace(/^#/, "").split("&").map((part) => cut(part)));
  const first = values.get("a");
  if (first === undefined) return undefined;
  const second = values.get("b");
  return {
    first: await unpack(first),
    second: second === undefined ? undefined : await unpack(second),
    view: values.get("view") ?? "",
    profile: values.get("profile") ?? "",
  };
}

function cut(part: string): [string, string] {
  const at = part.indexOf("=");
  return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
}

async function pack(bytes: Bytes): Promise<string> {
  const asIs = `p${base64url(bytes)}`;
  if (typeof CompressionStream === "undefined") return asIs;
  const deflated = `d${base64url(await through(bytes, new CompressionStream("deflate-raw")))}`;
  return deflated.length < asIs.length ? deflated : asIs;
}

async function unpack(packed: string): Promise<Bytes> {
  const bytes = fromBase64url(packed.slice(1));
  if (packed.startsWith("p")) return bytes;
  if (packed.startsWith("d")) return through(bytes, new DecompressionStream("deflate-raw"));
  throw new Error("neither plain nor deflated");
}

async function through(bytes: Bytes, transform: GenericTransformStream): Promise<Bytes> {
  const writer = (transform.writable as WritableStream<Bytes>).getWriter();
  // A stream that breaks says so to whoever reads it; that the writer hears of it too is no news.
  writer.write(bytes).then(() => writer.close()).catch(() => undefined);
  const reader = (transform.readable as ReadableStream<Bytes>).getReader();
  const chunks: Bytes[] = [];
  let length = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    chunks.push(step.value);
    length += step.value.length;
    if (length > MOST_BYTES) {
      await reader.cancel();
      throw new Error("too long");
    }
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function base64url(bytes: Bytes): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64url(text: string): Bytes {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
