// A request that can be written, pasted and dropped, with the evidence of its flags marked behind the text.
//
// Marks lie in a layer below the text box, in the same letters and breaks. The pointer is over the text box, so what is
// under it is asked of the browser; a keyboard has the cursor, whose place counts in the same way.

import { type Bytes, escaped, guess, plain, read, type Reading, SPELLINGS, spell, type Spelling } from "./bytes.ts";
import { el, need, reveal } from "./dom.ts";
import { type Flag, type Piece, pieces } from "./evidence.ts";
import type { Words } from "./i18n/index.ts";

/** The longest file that is read; text boxes get slow long before it. */
const MOST_MIB = 4;

/** What a box tells. `isWhole`: all of it is new, so there is nothing to wait for. */
export interface BoxEvents {
  changed(isWhole: boolean): void;
  /** The flags at the place that is pointed at, by hand or by the cursor; none where there is nothing. */
  pointed(flags: readonly number[]): void;
}

export class RequestBox {
  readonly #root: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #editor: HTMLElement;
  readonly #marks: HTMLElement;
  readonly #spelling: HTMLSelectElement;
  readonly #size: HTMLElement;
  readonly #note: HTMLElement;
  readonly #here: HTMLElement;
  readonly #file: HTMLInputElement;
  readonly #events: BoxEvents;
  #words: Words;
  #reading: Reading = read("", "crlf");
  /** The text that the marks are for: it may have been edited since. */
  #marked = "";
  #pieces: readonly Piece[] = [];
  #flags: readonly Flag[] = [];
  #parts: HTMLElement[] = [];
  #hovered: readonly number[] | undefined;
  /** How the text was written before another way was chosen. */
  #wasEscaped = false;
  /** The flags that were told last. */
  #told = "";

  constructor(root: HTMLElement, words: Words, events: BoxEvents) {
    this.#root = root;
    this.#words = words;
    this.#events = events;
    this.#text = need(root, "textarea", HTMLTextAreaElement);
    this.#editor = need(root, ".editor", HTMLElement);
    this.#marks = need(root, ".marks", HTMLElement);
    this.#spelling = need(root, "select", HTMLSelectElement);
    this.#size = need(root, ".size", HTMLElement);
    this.#note = need(root, ".note", HTMLElement);
    this.#here = need(root, ".here", HTMLElement);
    this.#file = need(root, "input[type=file]", HTMLInputElement);
    this.#listen();
    this.translate(words);
  }

  /** The request. */
  get bytes(): Bytes {
    return this.#reading.bytes;
  }

  get isEmpty(): boolean {
    return this.#text.value === "";
  }

  /** Shows another request. */
  set(bytes: Bytes): void {
    const { text, spelling } = spell(bytes);
    this.#text.value = text;
    this.#spelling.value = spelling;
    this.#editor.scrollTop = 0;
    this.#edited(true);
  }

  focus(): void {
    this.#text.focus();
  }

  translate(words: Words): void {
    this.#words = words;
    const options = SPELLINGS.map((spelling) => el("option", { value: spelling }, words[`spelling.${spelling}`]));
    const chosen = this.#spelling.value || "crlf";
    this.#spelling.replaceChildren(...options);
    this.#spelling.value = chosen;
    this.#size.textContent = words.bytes(this.bytes.length);
    this.#tellNote();
    this.#tellHere();
  }

  /** Marks the evidence of flags of the request as it is. */
  mark(flags: readonly Flag[]): void {
    this.#flags = flags;
    this.#pieces = pieces(flags, this.#reading);
    this.#marked = this.#text.value;
    this.#paint();
    this.#tellNote();
    this.#point();
  }

  /** Lights the evidence of some flags, and brings the first of it into sight where that is wanted. */
  light(flags: ReadonlySet<number>, isToBeSeen: boolean): void {
    this.#root.classList.toggle("has-light", flags.size > 0);
    let first: HTMLElement | undefined;
    this.#pieces.forEach((piece, at) => {
      const isLit = piece.flags.some((flag) => flags.has(flag));
      this.#parts[at]?.classList.toggle("lit", isLit);
      if (isLit) first ??= this.#parts[at];
    });
    if (isToBeSeen && first) reveal(this.#editor, first);
  }

  #listen(): void {
    this.#text.addEventListener("input", () => this.#edited(false));
    this.#text.addEventListener("paste", (event) => this.#paste(event));
    for (const event of ["keyup", "click", "focus", "blur"]) this.#text.addEventListener(event, () => this.#point());
    document.addEventListener("selectionchange", () => this.#point());
    this.#text.addEventListener("pointermove", ({ clientX, clientY }) => {
      const under = document.elementsFromPoint(clientX, clientY);
      const part = under.find((element) => element.parentElement === this.#marks);
      this.#hover(part ? this.#pieces[this.#parts.indexOf(part as HTMLElement)]?.flags : undefined);
    });
    this.#text.addEventListener("pointerleave", () => this.#hover(undefined));
    this.#spelling.addEventListener("change", () => this.#respell());
    need(this.#root, ".clear", HTMLButtonElement).addEventListener("click", () => {
      this.set(new Uint8Array());
      this.focus();
    });
    need(this.#root, ".open", HTMLButtonElement).addEventListener("click", () => this.#file.click());
    this.#file.addEventListener("change", () => {
      const file = this.#file.files?.[0];
      if (file) void this.open(file);
      this.#file.value = "";
    });
  }

  /** Reads a request from a file. */
  async open(file: File): Promise<void> {
    if (file.size > MOST_MIB << 20) {
      this.#say(this.#words.longFile(MOST_MIB));
      return;
    }
    try {
      this.set(new Uint8Array(await file.arrayBuffer()));
    } catch {
      this.#say(this.#words.unreadableFile);
    }
  }

  /** A request that is pasted over everything comes with line ends that the text box will lose. */
  #paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const isAll = this.#text.selectionStart === 0 && this.#text.selectionEnd === this.#text.value.length;
    if (!isAll || text === "") return;
    const file = spell(new TextEncoder().encode(text));
    if (file.spelling === "escapes") {
      event.preventDefault();
      this.#text.value = file.text;
      this.#spelling.value = "escapes";
      this.#edited(true);
      return;
    }
    // The browser pastes, so that it can be undone; only the line ends are found out here.
    this.#spelling.value = text.includes("\r\n") ? file.spelling : guess(file.text);
    this.#text.addEventListener("input", () => this.#edited(true), { once: true });
  }

  /** Another choice of line ends. The bytes change with it, or only the way that they are written. */
  #respell(): void {
    const to = this.#spelling.value as Spelling;
    if (to === "escapes") {
      this.#text.value = escaped(this.bytes);
    } else if (this.#wasEscaped) {
      const text = plain(this.bytes);
      if (text === undefined) {
        this.#spelling.value = "escapes";
        this.#say(this.#words.notText);
        return;
      }
      this.#text.value = text;
    }
    this.#edited(true);
  }

  #edited(isWhole: boolean): void {
    this.#wasEscaped = this.#spelling.value === "escapes";
    need(this.#root, ".written-out", HTMLElement).hidden = !this.#wasEscaped;
    this.#reading = read(this.#text.value, this.#spelling.value as Spelling);
    this.#size.textContent = this.#words.bytes(this.bytes.length);
    this.#say("");
    this.#shift();
    this.#events.changed(isWhole);
  }

  /** Moves the marks along with an edit until the next answer: those before it stay, those behind it shift. */
  #shift(): void {
    const [before, after] = [this.#marked, this.#text.value];
    let head = 0;
    while (head < before.length && before[head] === after[head]) head++;
    let tail = 0;
    const most = Math.min(before.length, after.length) - head;
    while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
    const by = after.length - before.length;
    this.#pieces = this.#pieces.flatMap((piece) => {
      if (piece.to <= head) return [piece];
      if (piece.from >= before.length - tail) return [{ ...piece, from: piece.from + by, to: piece.to + by }];
      return [];
    });
    this.#marked = after;
    this.#paint();
  }

  #paint(): void {
    const text = this.#text.value;
    const nodes: (Node | string)[] = [];
    this.#parts = [];
    let at = 0;
    for (const piece of this.#pieces) {
      if (piece.from > at) nodes.push(text.slice(at, piece.from));
      const inside = text.slice(piece.from, piece.to);
      // A line end has no width of its own, and neither has a mere place.
      const isBare = inside.replaceAll("\n", "") === "";
      const part = el("span", { class: `mark w-${piece.weight}${isBare ? " bare" : ""}` }, inside);
      this.#parts.push(part);
      nodes.push(part);
      at = piece.to;
    }
    // A last empty line takes room in a text box and none in other elements.
    this.#marks.replaceChildren(...nodes, `${text.slice(at)}\u200b`);
  }

  #hover(flags: readonly number[] | undefined): void {
    if (flags === this.#hovered) return;
    this.#hovered = flags;
    this.#point();
  }

  /** The flags under the pointer, else those at the cursor. */
  #flagsHere(): readonly number[] {
    if (this.#hovered) return this.#hovered;
    if (document.activeElement !== this.#text) return [];
    const place = this.#text.selectionStart;
    const here = this.#pieces.filter(({ from, to }) => from <= place && (place < to || from === to));
    return [...new Set(here.filter(({ from, to }) => from < to || from === place).flatMap(({ flags }) => flags))];
  }

  #point(): void {
    const flags = this.#flagsHere();
    const told = flags.join();
    if (told === this.#told) return;
    this.#told = told;
    this.#tellHere();
    this.#events.pointed(flags);
  }

  #tellHere(): void {
    const flags = this.#flagsHere();
    if (flags.length === 0) {
      this.#here.replaceChildren(this.#words.hereNothing);
      return;
    }
    const names = flags.flatMap((flag) => [" ", el("code", {}, this.#flags[flag]?.title ?? "")]);
    this.#here.replaceChildren(this.#words.hereFlags, ...names);
  }

  #say(text: string): void {
    this.#note.replaceChildren(text);
    this.#note.hidden = text === "";
  }

  /** What most often is lost when a request is copied is its last, blank line. */
  #tellNote(): void {
    const isUnended = !this.isEmpty && this.#flags.some(({ name }) => name === "NOEOH");
    if (!isUnended) {
      this.#say("");
      return;
    }
    const add = el("button", { type: "button", class: "plain" }, this.#words.addBlankLine);
    add.addEventListener("click", () => this.#endHead());
    this.#note.replaceChildren(this.#words.noBlankLine, " ", add);
    this.#note.hidden = false;
  }

  #endHead(): void {
    const end = this.#spelling.value === "escapes" ? "\\r\\n" : "\n";
    const isAtStart = this.#text.value.endsWith(end);
    this.#text.value += isAtStart ? end : end + end;
    this.#edited(true);
    this.focus();
  }
}
