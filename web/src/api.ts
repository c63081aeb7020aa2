// The service that the page came from, and the only one it asks. In the page without a server, `local.ts` stands for this
// file.

import type { Answer, Document, FlagInfo, Loaded, Options, Score } from "./answer.ts";
import type { Bytes } from "./bytes.ts";

/** Whether the page asks nobody. */
export const IS_LOCAL = false;
/**
 * Opens a model, where the page scores by itself. A service has the model that it was started with: whoever looks at its
 * page must not change what it tells proxies.
 */
export const loadModel: ((model: Bytes | undefined) => Promise<Loaded>) | undefined = undefined;

/** The document of a request, with evidence. */
export function canonicalize(request: Bytes, options: Options, signal: AbortSignal): Promise<Answer<Document>> {
  const query = new URLSearchParams({ ...options, evidence: "true" });
  return ask(`v1/canonicalize?${query}`, post(request, "application/json", signal), (reply) => reply.json());
}

/** The tokens of a request, with a space between them. */
export function tokens(request: Bytes, options: Options, signal: AbortSignal): Promise<Answer<string>> {
  const query = new URLSearchParams({ ...options });
  return ask(`v1/canonicalize?${query}`, post(request, "text/x-tamiz-tokens", signal), (reply) => reply.text());
}

/** The score of a request, by the model of the service, in the configuration of that. */
export function score(request: Bytes, signal: AbortSignal): Promise<Answer<Score>> {
  return ask("v1/score", post(request, "application/json", signal), (reply) => reply.json());
}

/** The registry of flags. */
export function registry(): Promise<Answer<readonly FlagInfo[]>> {
  return ask("v1/flags", {}, async (reply) => ((await reply.json()) as { flags: FlagInfo[] }).flags);
}

function post(body: Bytes, accept: string, signal: AbortSignal): RequestInit {
  return { method: "POST", body, signal, headers: { Accept: accept, "Content-Type": "application/octet-stream" } };
}

async function ask<T>(path: string, init: RequestInit, take: (reply: Response) => Promise<T>): Promise<Answer<T>> {
  try {
    // Relative to the page, which may be below a path of a proxy's.
    const reply = await fetch(path, { ...init, cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" });
    if (reply.ok) return { kind: "ok", value: await take(reply) };
    // A proxy in front of a service that is gone answers in its place.
    if (reply.status === 502 || reply.status === 504) return { kind: "offline" };
    if (reply.status === 503 || reply.status === 429) {
      return { kind: "busy", after: 1000 * (Number(reply.headers.get("Retry-After")) || 1) };
    }
    return { kind: "refused", status: reply.status };
  } catch {
    return { kind: init.signal?.aborted ? "dropped" : "offline" };
  }
}
