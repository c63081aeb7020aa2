// The names that programs use; `tamiz.d.ts` says what they do.

import { Canonicalizer as Inner, flags as registry, formVersion, Scorer as InnerScorer } from "./tamiz_wasm.js";

const encoder = new TextEncoder();

function bytes(request) {
  if (typeof request === "string") return encoder.encode(request);
  if (request instanceof Uint8Array) return request;
  throw new TypeError("a request must be a Uint8Array or a string");
}

export class Canonicalizer {
  #inner;

  constructor({ view, profile, scheme } = {}) {
    this.#inner = new Inner(view, profile, scheme);
  }

  get fingerprint() {
    return this.#inner.fingerprint;
  }

  text(request) {
    return this.#inner.text(bytes(request));
  }

  document(request, { evidence = false } = {}) {
    return JSON.parse(this.#inner.json(bytes(request), evidence));
  }

  tokens(request) {
    return this.#inner.tokens(bytes(request)).split(" ");
  }
}

export class Scorer {
  #inner;

  constructor(model) {
    if (model !== undefined && !(model instanceof Uint8Array)) throw new TypeError("a model must be a Uint8Array");
    this.#inner = new InnerScorer(model);
  }

  get requests() {
    return this.#inner.requests;
  }

  score(request) {
    return JSON.parse(this.#inner.score(bytes(request)));
  }
}

export function flags() {
  return JSON.parse(registry());
}

export const FORM_VERSION = formVersion();
