// The flags of a request, by family: what each means, where it is, and why it matters for those who ask.

import type { FlagInfo } from "./answer.ts";
import { type Bytes, excerpt } from "./bytes.ts";
import { el, prose, reveal } from "./dom.ts";
import { type Flag, WEIGHTS } from "./evidence.ts";
import { type Told, flagsEs } from "./i18n/flags.es.ts";
import type { Language, TextKey, Words } from "./i18n/index.ts";
import { placeInWords } from "./places.ts";

/** What is known of all flags, and in which language to say it. */
export interface Telling {
  readonly words: Words;
  readonly language: Language;
  readonly registry: ReadonlyMap<string, FlagInfo>;
}

/** The order of families: from the bytes inwards, as the registry has them. */
const FAMILIES = [
  "encoding",
  "unicode",
  "path",
  "query",
  "danger",
  "content",
  "header",
  "whitespace",
  "framing",
  "body",
  "privacy",
];

/** How many pieces of evidence are shown of one flag. */
const MOST_EXCERPTS = 6;

export class FlagList {
  readonly #root: HTMLElement;
  readonly #pointed: (flag: number | undefined) => void;
  /** The element of each flag that is listed, by its number. */
  #items = new Map<number, HTMLElement>();
  #hovered: number | undefined;
  #focused: number | undefined;
  /** What is kept open, by title, so that it stays so in the next answer. */
  #kept: string | undefined;
  #flags: readonly Flag[] = [];

  /** `pointed` hears which flag is pointed at by hand, by the focus, or was chosen to be kept. */
  constructor(root: HTMLElement, pointed: (flag: number | undefined) => void) {
    this.#root = root;
    this.#pointed = pointed;
    root.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.#hover(this.#numberOf(event.target));
    });
    root.addEventListener("pointerleave", () => this.#hover(undefined));
    root.addEventListener("focusin", ({ target }) => this.#focus(this.#numberOf(target)));
    root.addEventListener("focusout", () => this.#focus(undefined));
    root.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("button") : null;
      if (button) this.#keep(this.#numberOf(button));
    });
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The flag that is pointed at. */
  get current(): number | undefined {
    const kept = this.#flags.findIndex(({ title }) => title === this.#kept);
    return this.#hovered ?? this.#focused ?? (kept >= 0 && this.#items.has(kept) ? kept : undefined);
  }

  /** Lists those flags that `isListed`; the evidence is taken from `bytes`. */
  show(flags: readonly Flag[], isListed: (flag: Flag) => boolean, bytes: Bytes, telling: Telling, none: string): void {
    const focused = this.#focused === undefined ? undefined : this.#flags[this.#focused]?.title;
    this.#flags = flags;
    this.#items.clear();
    this.#hovered = undefined;
    const listed = flags.map((flag, number) => ({ flag, number })).filter(({ flag }) => isListed(flag));
    const rank = ({ weight, title }: Flag) => `${WEIGHTS.indexOf(weight)}${title}`;
    listed.sort((a, b) => (rank(a.flag) < rank(b.flag) ? -1 : 1));
    const families = [...new Set(listed.map(({ flag }) => flag.family))];
    families.sort((a, b) => FAMILIES.indexOf(a) - FAMILIES.indexOf(b));
    const nodes = families.map((family) => {
      const entries = listed.filter(({ flag }) => flag.family === family);
      const title = telling.words[`family.${family}` as TextKey] ?? family;
      const items = entries.map(({ flag, number }) => this.#item(flag, number, bytes, telling));
      return el("section", { class: "family" }, el("h3", {}, title), el("ul", {}, ...items));
    });
    this.#root.replaceChildren(...(nodes.length > 0 ? nodes : [el("p", { class: "none" }, none)]));
    const again = flags.findIndex(({ title }) => title === focused);
    if (focused !== undefined) this.#items.get(again)?.querySelector("button")?.focus({ preventScroll: true });
  }

  /** Lights some flags, and brings the first of them into sight where that is wanted. */
  light(flags: ReadonlySet<number>, isToBeSeen: boolean): void {
    let first: HTMLElement | undefined;
    for (const [number, item] of this.#items) {
      item.classList.toggle("lit", flags.has(number));
      if (flags.has(number)) first ??= item;
    }
    if (isToBeSeen && first) reveal(this.#root, first);
  }

  #item(flag: Flag, number: number, bytes: Bytes, { words, language, registry }: Telling): HTMLElement {
    const info = registry.get(flag.name);
    const told = telling(flag, info, language);
    const isKept = flag.title === this.#kept;
    const weight = el(
      "span",
      { class: "weight", title: words[`weightHelp.${flag.weight}`] },
      words[`weight.${flag.weight}`],
    );
    const button = el(
      "button",
      { type: "button", "aria-expanded": String(isKept) },
      el("span", { class: "name" }, flag.title),
      weight,
      el("span", { class: "meaning" }, ...prose(told?.meaning ?? "")),
    );
    const details = el("div", { class: "details" });
    if (told) details.append(el("p", {}, el("b", {}, words.why), " ", ...prose(told.why)));
    details.append(this.#facts(flag, info, bytes, words));
    details.hidden = !isKept;
    const item = el("li", { class: `flag w-${flag.weight}`, "data-number": String(number) }, button, details);
    this.#items.set(number, item);
    return item;
  }

  #facts(flag: Flag, info: FlagInfo | undefined, bytes: Bytes, words: Words): HTMLElement {
    const excerpts = flag.evidence.slice(0, MOST_EXCERPTS).flatMap<Node | string>(([start, end]) => {
      const shown = end > start ? [el("code", {}, excerpt(bytes, start, end)), " "] : [];
      return [el("span", { class: "excerpt" }, ...shown, el("small", {}, `${start}–${end}`)), " "];
    });
    if (flag.evidence.length > MOST_EXCERPTS) excerpts.push(words.more(flag.evidence.length - MOST_EXCERPTS));
    const places = flag.places.flatMap((place) => [el("code", { title: placeInWords(place, words) }, place), " "]);
    if (excerpts.length === 0) excerpts.push(words.noEvidence);
    const facts = el("dl", {}, el("dt", {}, words.evidence), el("dd", {}, ...excerpts));
    facts.append(el("dt", {}, words.place), el("dd", {}, ...places));
    const source = el("small", {});
    if (info) {
      const link = el("a", { href: `spec.html#${info.clause}`, target: "_blank", rel: "noopener" }, words.clause(info.clause));
      source.append(link, ` · ${words.fromProfile(info.profile)}`);
    }
    return el("div", {}, facts, source);
  }

  #numberOf(target: EventTarget | null): number | undefined {
    const item = target instanceof Element ? target.closest<HTMLElement>("[data-number]") : null;
    return item ? Number(item.dataset["number"]) : undefined;
  }

  #hover(flag: number | undefined): void {
    if (flag === this.#hovered) return;
    this.#hovered = flag;
    this.#pointed(this.current);
  }

  #focus(flag: number | undefined): void {
    this.#focused = flag;
    this.#pointed(this.current);
  }

  #keep(flag: number | undefined): void {
    const title = flag === undefined ? undefined : this.#flags[flag]?.title;
    this.#kept = title === this.#kept ? undefined : title;
    for (const [number, item] of this.#items) {
      const isKept = this.#flags[number]?.title === this.#kept;
      item.querySelector("button")?.setAttribute("aria-expanded", String(isKept));
      const details = item.querySelector<HTMLElement>(".details");
      if (details) details.hidden = !isKept;
    }
    this.#pointed(this.current);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.#kept !== undefined) {
      this.#keep(undefined);
      return;
    }
    const buttons = [...this.#root.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    buttons[Math.min(Math.max(to, 0), buttons.length - 1)]?.focus();
  }
}

/** What is told of a flag: of its parameter, where that has a text of its own. */
function telling(flag: Flag, info: FlagInfo | undefined, language: string): Told | undefined {
  const translated = language === "es" ? (flagsEs[flag.title] ?? flagsEs[flag.name]) : undefined;
  const ofClass = info?.classes.find(({ parameter }) => flag.title === `${flag.name}:${parameter}`);
  return translated ?? ofClass ?? info;
}
