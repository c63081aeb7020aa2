// Which language the page speaks, and its words.

import { recall } from "../storage.ts";
import { en, type Words } from "./en.ts";
import { es } from "./es.ts";

export type { Words };

export const LANGUAGES = { en: "English", es: "Español" } as const;

/** A language that the page speaks. */
export type Language = keyof typeof LANGUAGES;

/** The words that are plain texts: those that markup may ask for by name. */
export type TextKey = { [K in keyof Words]: Words[K] extends string ? K : never }[keyof Words];

const DICTIONARIES: Readonly<Record<Language, Words>> = { en, es };

/** The words of a language; `isLocal`: of a page that asks no service. */
export function words(language: Language, isLocal = false): Words {
  const all = DICTIONARIES[language];
  return isLocal ? { ...all, shareNote: all.shareNoteLocal, offline: all.offlineLocal, footer: all.footerLocal } : all;
}

/** The language chosen before; else the first of the browser's that the page speaks; else English. */
export function preferred(): Language {
  const kept = recall("language") ?? "";
  if (isLanguage(kept)) return kept;
  for (const tag of navigator.languages) {
    const language = tag.slice(0, 2).toLowerCase();
    if (isLanguage(language)) return language;
  }
  return "en";
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** Whether markup asks for a text that there is. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key) && typeof en[key as keyof Words] === "string";
}
