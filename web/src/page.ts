// The page: two sides (the second only in comparison), what was chosen, and the service behind it.

import { type Answer, type FlagInfo, type Options, PROFILES, type Profile, type View, VIEWS } from "./answer.ts";
import { IS_LOCAL, registry } from "./api.ts";
import type { Bytes } from "./bytes.ts";
import { showComparison } from "./compare.ts";
import { choices, copy, el, isInside, need } from "./dom.ts";
import { listenForDrops } from "./drops.ts";
import { WEIGHTS } from "./evidence.ts";
import { type Example, EXAMPLES } from "./examples.ts";
import type { Telling } from "./flaglist.ts";
import { documentLines, jsonTokens, piece, prettyJson } from "./highlight.ts";
import { isLanguage, isTextKey, type Language, LANGUAGES, preferred, type Words, words } from "./i18n/index.ts";
import { placeInWords, placeOf } from "./places.ts";
import { ScorePanel } from "./score.ts";
import { parseFragment } from "./share.ts";
import { shareDialog } from "./sharing.ts";
import { Side } from "./side.ts";
import { remember } from "./storage.ts";
import { tabs } from "./tabs.ts";
import { setTheme, theme, THEMES } from "./theme.ts";

/** How long to wait for more typing, in milliseconds. */
const PAUSE = 150;
/** How long until a service that does not answer is asked again: at first, and at most. */
const RETRY = { first: 1_000, most: 15_000 };

type Tab = "document" | "tokens" | "json" | "score";

class Page {
  #language: Language = preferred();
  #words: Words = words(this.#language, IS_LOCAL);
  #options: Options = { view: "shape", profile: "standard" };
  #tab: Tab = "document";
  #isComparing = false;
  #registry: ReadonlyMap<string, FlagInfo> = new Map();
  readonly #first: Side;
  readonly #second: Side;
  readonly #score: ScorePanel;
  #pause = 0;
  #retry = 0;
  #wait = RETRY.first;
  /** The fragment that was written or read last, so that the page knows its own. */
  #fragment = "";

  constructor() {
    const side = (name: string, changed: (isWhole: boolean) => void) =>
      new Side(byId(name), need(byId(`${name}-flags`), ".list", HTMLElement), this.#words, {
        changed,
        lit: (titles) => name === "first" && lightDocument(titles),
      });
    this.#first = side("first", (isWhole) => this.#changed(isWhole));
    this.#second = side("second", (isWhole) => this.#changed(isWhole));
    this.#score = new ScorePanel(byId("score"), this.#words, () => {
      if (this.#first.result) delete this.#first.result.score;
      void this.#showTab();
    });
    this.#listen();
    this.#translate();
  }

  /** Loads what the page is about. */
  async start(): Promise<void> {
    if (!(await this.#openLink()) && EXAMPLES[0]) this.#loadExample(EXAMPLES[0]);
    const known = await registry();
    if (known.kind === "ok") this.#know(known.value);
  }

  #know(flags: readonly FlagInfo[]): void {
    this.#registry = new Map(flags.map((flag) => [flag.name, flag]));
    this.#show();
  }

  // What people do.

  #listen(): void {
    const language = need(document, "#language", HTMLSelectElement);
    language.append(...Object.entries(LANGUAGES).map(([tag, name]) => el("option", { value: tag, lang: tag }, name)));
    language.value = this.#language;
    language.addEventListener("change", () => {
      if (!isLanguage(language.value)) return;
      this.#language = language.value;
      remember("language", this.#language);
      this.#translate();
    });
    const themes = need(document, "#theme", HTMLSelectElement);
    setTheme(theme());
    themes.addEventListener("change", () => setTheme(THEMES.find((known) => known === themes.value) ?? "system"));
    // Not by the address, whose fragment may hold a request.
    need(document, ".skip", HTMLElement).addEventListener("click", (event) => {
      event.preventDefault();
      byId(this.#isComparing ? "comparison" : "output").focus();
    });
    byId("example").addEventListener("change", ({ target }) => {
      const example = EXAMPLES.find(({ id }) => id === (target as HTMLSelectElement).value);
      if (example) this.#loadExample(example);
    });
    choices("view", VIEWS, (view: View) => this.#choose({ ...this.#options, view }));
    choices("profile", PROFILES, (profile: Profile) => this.#choose({ ...this.#options, profile }));
    byId("compare").addEventListener("click", () => this.#compare(!this.#isComparing));
    tabs(need(document, "[role=tablist]", HTMLElement), (tab) => {
      this.#tab = tab.id.replace("tab-", "") as Tab;
      void this.#showTab();
    });
    byId("copy").addEventListener("click", () => void this.#copyOutput());
    byId("document").addEventListener("pointerover", ({ target }) => {
      const flag = target instanceof Element ? target.closest<HTMLElement>("[data-flag]") : null;
      this.#first.lightTitle(flag?.dataset["flag"]);
    });
    byId("document").addEventListener("pointerleave", () => this.#first.lightTitle(undefined));
    window.addEventListener("hashchange", () => void this.#openLink());
    window.addEventListener("online", () => void this.#ask());
    shareDialog(
      () => ({ first: this.#first.box.bytes, second: this.#isComparing ? this.#second.box.bytes : undefined, ...this.#options }),
      () => this.#words,
    );
    listenForDrops(byId("drop"), (file, event) => {
      const isSecond = this.#isComparing && isInside(byId("second"), event);
      void (isSecond ? this.#second : this.#first).box.open(file);
    });
  }

  #loadExample({ id, first, second }: Example): void {
    this.#load(first, second);
    need(document, "#example", HTMLSelectElement).value = id;
  }

  /** Shows one request, or two side by side. */
  #load(first: Bytes, second?: Bytes): void {
    this.#compare(second !== undefined, second);
    this.#first.box.set(first);
  }

  #choose(options: Options): void {
    this.#options = options;
    this.#forgetLink();
    void this.#ask();
  }

  #compare(isWanted: boolean, second?: Bytes): void {
    this.#isComparing = isWanted;
    byId("compare").setAttribute("aria-pressed", String(isWanted));
    byId("main").classList.toggle("comparing", isWanted);
    for (const id of ["second", "comparison"]) byId(id).hidden = !isWanted;
    byId("output").hidden = isWanted;
    byId("flags-hint").hidden = isWanted;
    if (second) this.#second.box.set(second);
    else if (isWanted && this.#second.box.isEmpty) this.#second.box.set(this.#first.box.bytes);
    else if (isWanted) void this.#ask();
    this.#show();
  }

  #changed(isWhole: boolean): void {
    this.#forgetLink();
    need(document, "#example", HTMLSelectElement).value = "";
    clearTimeout(this.#pause);
    this.#pause = window.setTimeout(() => void this.#ask(), isWhole ? 0 : PAUSE);
  }

  // Links.

  /** Opens what the address has behind its `#`; says whether it was a request. */
  async #openLink(): Promise<boolean> {
    if (location.hash === this.#fragment) return location.hash !== "";
    const { hash } = location;
    try {
      const shared = await parseFragment(hash);
      if (!shared) return false;
      const view = VIEWS.find((view) => view === shared.view) ?? "shape";
      const profile = PROFILES.find((profile) => profile === shared.profile) ?? "standard";
      this.#options = { view, profile };
      for (const [name, value] of Object.entries(this.#options)) {
        need(document, `#${name} input[value=${value}]`, HTMLInputElement).checked = true;
      }
      this.#load(shared.first, shared.second);
      this.#fragment = hash;
      this.#notice("badLink", "");
      return true;
    } catch {
      this.#notice("badLink", this.#words.badLink);
      return false;
    }
  }

  /** An address that says something else than the page shows would be a trap for whoever copies it. */
  #forgetLink(): void {
    if (this.#fragment === "" || location.hash !== this.#fragment) return;
    this.#fragment = "";
    history.replaceState(null, "", location.pathname + location.search);
  }

  // The service.

  async #ask(): Promise<void> {
    clearTimeout(this.#pause);
    clearTimeout(this.#retry);
    const sides = this.#isComparing ? [this.#first, this.#second] : [this.#first];
    const answers = await Promise.all(sides.map((side) => side.ask(this.#options)));
    if (answers.some(({ kind }) => kind === "dropped")) return;
    this.#heed(answers);
    if (answers.every(({ kind }) => kind !== "ok")) return;
    if (this.#registry.size === 0) {
      const known = await registry();
      if (known.kind === "ok") this.#know(known.value);
    }
    this.#show();
    this.#announce();
  }

  /** Says what went wrong, plainly, and tries again where that may help. What is shown stays. */
  #heed(answers: readonly Answer<unknown>[]): void {
    const bad = answers.find(({ kind }) => kind !== "ok");
    byId("main").classList.toggle("stale", bad !== undefined);
    if (!bad) {
      if (byId("notices").querySelector("[data-name=offline]")) this.#say(this.#words.back);
      this.#notice("offline", "");
      this.#notice("refused", "");
      this.#wait = RETRY.first;
      return;
    }
    if (bad.kind === "refused") {
      this.#notice("offline", "");
      this.#notice("refused", bad.status === 413 ? this.#words.tooLarge : this.#words.refused(bad.status));
    } else if (bad.kind === "offline" || bad.kind === "busy") {
      this.#notice("offline", bad.kind === "busy" ? this.#words.busy : this.#words.offline);
      this.#retry = window.setTimeout(() => void this.#ask(), bad.kind === "busy" ? bad.after : this.#wait);
      this.#wait = Math.min(this.#wait * 1.5, RETRY.most);
    }
  }

  /** A line above everything, one for each name; an empty text takes it away. */
  #notice(name: "offline" | "refused" | "badLink", text: string): void {
    const notices = byId("notices");
    const old = notices.querySelector(`[data-name=${name}]`);
    if (text === "") {
      old?.remove();
    } else if (old?.firstChild?.textContent !== text) {
      const line = el("p", { class: "notice", "data-name": name }, el("span", {}, text));
      if (name === "badLink") {
        const button = el("button", { type: "button" }, this.#words.dismiss);
        button.addEventListener("click", () => line.remove());
        line.append(button);
      }
      old?.remove();
      notices.append(line);
    }
  }

  // What is shown.

  #translate(): void {
    this.#words = words(this.#language, IS_LOCAL);
    document.documentElement.lang = this.#language;
    document.title = this.#words.title;
    for (const element of document.querySelectorAll("*")) {
      for (const { name, value } of [...element.attributes]) {
        if (name !== "data-t" && !name.startsWith("data-t-")) continue;
        if (!isTextKey(value)) throw new Error(`there is no text ${value}`);
        if (name === "data-t") element.textContent = this.#words[value];
        else element.setAttribute(name.replace("data-t-", ""), this.#words[value]);
      }
    }
    this.#listExamples();
    const themes = need(document, "#theme", HTMLSelectElement);
    themes.replaceChildren(...THEMES.map((name) => el("option", { value: name }, this.#words[`theme.${name}`])));
    themes.value = theme();
    this.#score.translate(this.#words);
    this.#first.box.translate(this.#words);
    this.#second.box.translate(this.#words);
    for (const notice of byId("notices").querySelectorAll<HTMLElement>("[data-name=offline]")) {
      notice.replaceChildren(el("span", {}, this.#words.offline));
    }
    this.#show();
  }

  #listExamples(): void {
    const group = (label: string, isPair: boolean) =>
      el(
        "optgroup",
        { label },
        ...EXAMPLES.filter(({ second }) => (second !== undefined) === isPair).map(({ id, title }) =>
          el("option", { value: id }, this.#words[title]),
        ),
      );
    const select = need(document, "#example", HTMLSelectElement);
    const chosen = select.value;
    select.replaceChildren(
      el("option", { value: "" }, this.#words.examplePick),
      group(this.#words.exampleGroupOne, false),
      group(this.#words.exampleGroupTwo, true),
    );
    select.value = chosen;
  }

  #show(): void {
    byId("literal-note").hidden = this.#options.view !== "literal";
    const { result } = this.#first;
    if (!result) return;
    byId("fingerprint").textContent = result.document["tamiz.fingerprint"];
    const weights = new Map(result.flags.map(({ title, weight }) => [title, weight]));
    byId("document").replaceChildren(...documentLines(result.document["tamiz.text"], weights));
    this.#showFlags();
    void this.#showTab();
    const other = this.#second.result;
    if (this.#isComparing && other) {
      showComparison(byId("difference"), result.document["tamiz.text"], other.document["tamiz.text"], this.#words);
    }
  }

  #showFlags(): void {
    const telling: Telling = { words: this.#words, language: this.#language, registry: this.#registry };
    const [first, second] = [this.#first.result, this.#second.result];
    const isComparing = this.#isComparing && first !== undefined && second !== undefined;
    byId("first-flags-title").textContent = isComparing ? this.#words.flagsFirst : this.#words.flags;
    let count = 0;
    for (const [name, side, other] of [
      ["first-flags", this.#first, second],
      ["second-flags", this.#second, first],
    ] as const) {
      if (!side.result) continue;
      const { flags, bytes } = side.result;
      const others = new Set(isComparing ? other?.flags.map(({ title }) => title) : []);
      const listed = flags.filter(({ title }) => !others.has(title));
      const none = isComparing ? this.#words.flagsOnlyNone : this.#words.flagsNone;
      count += listed.length;
      side.list.show(flags, (flag) => listed.includes(flag), bytes, telling, none);
      side.relight();
      const [evasion = 0, notable = 0, structural = 0] = WEIGHTS.map(
        (weight) => listed.filter((flag) => flag.weight === weight).length,
      );
      need(byId(name), ".size", HTMLElement).textContent = this.#words.weights(evasion, notable, structural);
    }
    byId("first-flags").hidden = isComparing && count === 0;
    byId("second-flags").hidden = !isComparing || count === 0;
  }

  async #showTab(): Promise<void> {
    need(document, ".legend", HTMLElement).hidden = this.#tab !== "document";
    const { result } = this.#first;
    if (!result) return;
    // What is counted is what the tab shows: flags once each, or at every place.
    const { "tamiz.text": text, "tamiz.flags": raised } = result.document;
    const json = prettyJson(result.document);
    const counted = { document: [text, result.flags.length], json: [`${json}\n`, raised.length], tokens: undefined, score: undefined } as const;
    const [of, flags] = counted[this.#tab] ?? ["", 0];
    byId("summary").textContent = of === "" ? "" : this.#words.summary(lineCount(of), flags);
    if (this.#tab === "json") {
      byId("json").replaceChildren(...jsonTokens(json).map(piece));
    } else if (this.#tab === "score") {
      const answer = await this.#first.askScore();
      if (answer.kind !== "ok" && answer.kind !== "dropped") this.#heed([answer]);
      if (this.#first.result === result) this.#score.show(result.score);
    } else if (this.#tab === "tokens") {
      const answer = await this.#first.askTokens(this.#options);
      if (answer.kind !== "ok" && answer.kind !== "dropped") this.#heed([answer]);
      if (this.#first.result !== result || result.tokens === undefined) return;
      const all = result.tokens.split(" ");
      byId("tokens").replaceChildren(...all.flatMap((token) => [el("code", { title: placeInWords(placeOf(token), this.#words) }, token), " "]));
      if (this.#tab === "tokens") byId("summary").textContent = this.#words.tokenCount(all.length);
    }
  }

  async #copyOutput(): Promise<void> {
    const { result } = this.#first;
    if (!result) return;
    const { document: shown, tokens = "" } = result;
    const texts = { document: shown["tamiz.text"], tokens, json: prettyJson(shown), score: this.#score.text };
    const isDone = await copy(texts[this.#tab]);
    this.#say(isDone ? this.#words.copied : this.#words.copyFailed);
    const button = byId("copy");
    button.textContent = isDone ? this.#words.copied : this.#words.copy;
    window.setTimeout(() => (button.textContent = this.#words.copy), 1500);
  }

  /** Tells those who do not see the page that it has changed. */
  #announce(): void {
    const { result } = this.#first;
    if (!result) return;
    if (this.#isComparing) this.#say(document.querySelector(".verdict")?.textContent ?? "");
    else this.#say(this.#words.updated(lineCount(result.document["tamiz.text"]), result.flags.length));
  }

  #say(text: string): void {
    byId("announce").textContent = text;
  }
}

function byId(id: string): HTMLElement {
  return need(document, `#${id}`, HTMLElement);
}

function lightDocument(titles: ReadonlySet<string>): void {
  for (const flag of byId("document").querySelectorAll<HTMLElement>("[data-flag]")) {
    flag.classList.toggle("lit", titles.has(flag.dataset["flag"] ?? ""));
  }
}

const lineCount = (text: string): number => text.split("\n").length - 1;

void new Page().start();
