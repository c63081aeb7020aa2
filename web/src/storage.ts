// What the page remembers of its reader: the language and the theme, nothing else.

type Name = "language" | "theme";

/** What was remembered, if the browser lets the page ask. */
export function recall(name: Name): string | undefined {
  try {
    return localStorage.getItem(`tamiz.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a choice, where the browser lets it; else it lasts as long as the page. */
export function remember(name: Name, value: string): void {
  try {
    localStorage.setItem(`tamiz.${name}`, value);
  } catch {
    // Storage may be forbidden.
  }
}
