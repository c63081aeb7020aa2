// Light or dark: as the system has it, or as the reader chose.

import { recall, remember } from "./storage.ts";

export const THEMES = ["system", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

/** The theme that was chosen before; else the system's. */
export function theme(): Theme {
  return THEMES.find((known) => known === recall("theme")) ?? "system";
}

/** Shows a theme, and remembers it. */
export function setTheme(chosen: Theme): void {
  const { dataset } = document.documentElement;
  if (chosen === "system") delete dataset["theme"];
  else dataset["theme"] = chosen;
  remember("theme", chosen);
}
