// What `wasm-bindgen` makes of `crates/tamiz-wasm`, as much of it as the page uses.

declare module "tamiz-wasm" {
  export class Canonicalizer {
    constructor(view?: string, profile?: string, scheme?: string);
    text(request: Uint8Array): string;
    json(request: Uint8Array, evidence: boolean): string;
    tokens(request: Uint8Array): string;
    readonly fingerprint: string;
  }
  export class Scorer {
    constructor(model?: Uint8Array);
    score(request: Uint8Array): string;
    readonly requests: number | undefined;
    free(): void;
  }
  export function flags(): string;
  export function formVersion(): number;
  export function initSync(given: { module: WebAssembly.Module }): unknown;
}
