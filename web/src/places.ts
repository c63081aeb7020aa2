// Places of a request, such as `q.id`, in words.

import type { Words } from "./i18n/index.ts";

/** What a place is. */
export function placeInWords(place: string, words: Words): string {
  const dot = place.indexOf(".");
  const [kind, key] = dot < 0 ? [place, ""] : [place.slice(0, dot), place.slice(dot + 1)];
  switch (kind) {
    case "m":
      return words["place.m"];
    case "u":
      return words["place.u"];
    case "p":
      return words["place.p"];
    case "q":
      return key === "" ? words["place.q"] : words.placeQuery(key);
    case "h":
      return key === "" ? words["place.h"] : words.placeHeader(key);
    case "b":
      return key === "" ? words["place.b"] : words.placeBody(key);
    default:
      return "";
  }
}

/** The place that a token tells of: `q.id` of `q.id=num`, of `q.id~'` and of `f.q.id=QUOTE`. */
export function placeOf(token: string): string {
  return /^(?:f\.)?((?:[hqb]\.[^=~@]+)|[muphqb](?=[=~@]))/.exec(token)?.[1] ?? "";
}
