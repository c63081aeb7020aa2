// One request with its document: what is asked of the service for it, and the light that goes from its flags to its
// bytes and back.

import type { Answer, Document, Options, Score } from "./answer.ts";
import { canonicalize, score, tokens } from "./api.ts";
import { RequestBox } from "./box.ts";
import type { Bytes } from "./bytes.ts";
import { type Flag, gather } from "./evidence.ts";
import { FlagList } from "./flaglist.ts";
import type { Words } from "./i18n/index.ts";

/** The last answer, and what it was for. */
export interface Result {
  readonly bytes: Bytes;
  readonly document: Document;
  readonly flags: readonly Flag[];
  /** Asked for when they are looked at. */
  tokens?: string;
  score?: Score;
}

/** What a side tells. */
export interface SideEvents {
  /** The request is another. `isWhole`: all of it at once. */
  changed(isWhole: boolean): void;
  /** Flags are lit, by their titles. */
  lit(titles: ReadonlySet<string>): void;
}

export class Side {
  readonly box: RequestBox;
  readonly list: FlagList;
  readonly #events: SideEvents;
  #asked = new AbortController();
  result: Result | undefined;

  constructor(box: HTMLElement, list: HTMLElement, words: Words, events: SideEvents) {
    this.#events = events;
    this.box = new RequestBox(box, words, {
      changed: (isWhole) => events.changed(isWhole),
      pointed: (flags) => this.#light(flags, "box"),
    });
    this.list = new FlagList(list, (flag) => this.#light(flag === undefined ? [] : [flag], "list"));
  }

  /** Asks for the document of the request as it is; what was asked before is of no interest any more. */
  async ask(options: Options): Promise<Answer<Document>> {
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    const { bytes } = this.box;
    const answer = await canonicalize(bytes, options, signal);
    if (signal.aborted) return { kind: "dropped" };
    if (answer.kind === "ok") {
      this.result = { bytes, document: answer.value, flags: gather(answer.value["tamiz.flags"]) };
      this.box.mark(this.result.flags);
    }
    return answer;
  }

  /** Asks for the tokens of the last answer, if they are not there yet. */
  async askTokens(options: Options): Promise<Answer<unknown>> {
    const { result } = this;
    if (!result || result.tokens !== undefined) return { kind: "ok", value: undefined };
    const answer = await tokens(result.bytes, options, this.#asked.signal);
    if (answer.kind === "ok") result.tokens = answer.value.trimEnd();
    return answer;
  }

  /** Asks for the score of the last answer, if it is not there yet. */
  async askScore(): Promise<Answer<unknown>> {
    const { result } = this;
    if (!result || result.score !== undefined) return { kind: "ok", value: undefined };
    const answer = await score(result.bytes, this.#asked.signal);
    if (answer.kind === "ok") result.score = answer.value;
    return answer;
  }

  /** Lights the flags of a title, as the document has it. */
  lightTitle(title: string | undefined): void {
    const flags = this.result?.flags ?? [];
    this.#light(title === undefined ? [] : flags.flatMap((flag, at) => (flag.title === title ? [at] : [])), "document");
  }

  /** Lights what is kept or pointed at once more, after the flags were listed anew. */
  relight(): void {
    const { current } = this.list;
    this.#light(current === undefined ? [] : [current], "list");
  }

  #light(pointed: readonly number[], from: "box" | "list" | "document"): void {
    const { current } = this.list;
    const flags = new Set(pointed.length > 0 || current === undefined ? pointed : [current]);
    this.box.light(flags, from !== "box");
    this.list.light(flags, from !== "list");
    const titles = [...flags].flatMap((flag) => this.result?.flags[flag]?.title ?? []);
    this.#events.lit(new Set(titles));
  }
}
