// The few things that every part of the page does with elements. Texts go in as text, never as markup.

type Child = Node | string;

/** An element with its attributes and what is in it. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The element below `root` that the markup of the page has for sure. */
export function need<T extends Element>(root: ParentNode, selector: string, type: new () => T): T {
  const found = root.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`);
  return found;
}

/** A text with `code` between backquotes. */
export function prose(text: string): Child[] {
  return text.split("`").map((part, at) => (at % 2 === 0 ? part : el("code", {}, part)));
}

/** Scrolls a box, and nothing around it, until a part of it is in sight. */
export function reveal(box: HTMLElement, part: HTMLElement): void {
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const top = box.scrollTop + inner.top - outer.top - box.clientHeight / 3;
  box.scrollTo({ top, behavior: isCalm ? "auto" : "smooth" });
}

/** Puts a text on the clipboard; browsers keep the new way of it to pages over TLS and from this machine. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "unseen", "aria-hidden": "true" });
    const focused = document.activeElement;
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isDone;
  }
}

/** Fills a group of choices, of which the one that is checked is told. */
export function choices<T extends string>(name: string, values: readonly T[], chosen: (value: T) => void): void {
  for (const value of values) {
    const input = el("input", { type: "radio", name, value });
    input.addEventListener("change", () => chosen(value));
    need(document, `#${name}`, HTMLElement).append(el("label", {}, input, el("span", {}, value)));
  }
  const initial = name === "view" ? "shape" : "standard";
  need(document, `#${name} input[value=${initial}]`, HTMLInputElement).checked = true;
}

/** Whether something happens over an element. */
export function isInside(element: HTMLElement, { clientX, clientY }: DragEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
}
