// How unusual a request is, and why; and the model that says so, where the page has one of its own.

import type { Score } from "./answer.ts";
import { loadModel } from "./api.ts";
import type { Bytes } from "./bytes.ts";
import { el, prose } from "./dom.ts";
import type { Words } from "./i18n/index.ts";

/** The largest model that is read, in bytes: one of a million tokens is smaller. */
const LARGEST = 64 << 20;

export class ScorePanel {
  readonly #root: HTMLElement;
  readonly #file = el("input", { type: "file", class: "unseen", tabindex: "-1", "aria-hidden": "true" });
  readonly #changed: () => void;
  #words: Words;
  #model: { readonly name: string; readonly requests: number } | undefined;
  #fault = "";
  #score: Score | undefined;

  /** `changed` hears that scores are others now. */
  constructor(root: HTMLElement, words: Words, changed: () => void) {
    this.#root = root;
    this.#words = words;
    this.#changed = changed;
    this.#file.addEventListener("change", () => {
      const file = this.#file.files?.[0];
      if (file) void this.#open(file);
      this.#file.value = "";
    });
  }

  translate(words: Words): void {
    this.#words = words;
    this.show(this.#score);
  }

  show(score: Score | undefined): void {
    this.#score = score;
    this.#root.replaceChildren(...(score ? this.#told(score) : []), this.#about(score));
  }

  /** The score as text, for the clipboard. */
  get text(): string {
    const { score, p_value: p, reasons } = this.#score ?? { score: 0, p_value: null, reasons: [] };
    const lines = reasons.map(({ bits, text }) => `${bits.toFixed(1)}  ${text}`);
    return [`score ${score.toFixed(2)}${p === null ? "" : `, p ${share(p)}`}`, ...lines].join("\n") + "\n";
  }

  #told({ score, p_value: p, novelty, flags, new: fresh, reasons }: Score): HTMLElement[] {
    const words = this.#words;
    const head = el("p", { class: "headline" }, el("b", {}, score.toFixed(2)), " ");
    head.append(p === null ? words.scoreNoModel : words.scoreShare(share(p)));
    // The library has its reasons in English.
    const list = el("ol", { class: "reasons", lang: "en" });
    for (const { bits, text } of reasons) {
      const weight = el("span", { class: "bits", title: words.scoreBits }, bits.toFixed(1));
      list.append(el("li", {}, weight, " ", el("span", {}, ...prose(text))));
    }
    const told: HTMLElement[] = [head];
    if (p !== null) told.push(el("p", {}, words.scoreParts(novelty.toFixed(1), flags.toFixed(1), fresh)));
    told.push(reasons.length > 0 ? list : el("p", {}, words.scoreNoReason));
    return told;
  }

  /** Whose model it is, and how to bring another. */
  #about(score: Score | undefined): HTMLElement {
    const words = this.#words;
    if (!loadModel) {
      const isThere = score !== undefined && score.p_value !== null;
      return el("p", { class: "about" }, ...prose(isThere ? words.scoreService : words.scoreServiceNone));
    }
    const open = el("button", { type: "button", class: "model" }, words.modelOpen);
    open.addEventListener("click", () => this.#file.click());
    const about = el("div", { class: "about" }, this.#file, open);
    if (this.#model) {
      const forget = el("button", { type: "button", class: "forget" }, words.modelForget);
      forget.addEventListener("click", () => void this.#take(undefined, ""));
      about.append(" ", forget, " ", words.modelIs(this.#model.name, this.#model.requests));
    } else {
      about.append(" ", ...prose(words.modelHint));
    }
    if (this.#fault !== "") about.append(el("p", { class: "note", role: "alert" }, this.#fault));
    return about;
  }

  async #open(file: File): Promise<void> {
    if (file.size > LARGEST) return this.#refuse(this.#words.modelLarge);
    try {
      await this.#take(new Uint8Array(await file.arrayBuffer()), file.name);
    } catch {
      this.#refuse(this.#words.unreadableFile);
    }
  }

  async #take(model: Bytes | undefined, name: string): Promise<void> {
    const loaded = await loadModel?.(model);
    if (!loaded) return;
    if ("error" in loaded) return this.#refuse(this.#words.modelRefused(loaded.error));
    this.#fault = "";
    this.#model = model && { name, requests: loaded.requests };
    this.#changed();
  }

  #refuse(fault: string): void {
    this.#fault = fault;
    this.show(this.#score);
  }
}

/** A share as per cent, with two digits that tell something. */
function share(p: number): string {
  return `${Number((p * 100).toPrecision(2))} %`;
}
