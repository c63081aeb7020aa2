// The specification as a page, with a place for every clause: what clauses in the page lead to.

import { readFile } from "node:fs/promises";

import { Marked } from "marked";

const SPECIFICATION = new URL("../spec/canonical-form.md", import.meta.url);

/** The page; `head` is markup for its head, such as a policy. */
export async function specification(head = "") {
  const text = await readFile(SPECIFICATION, "utf8");
  const marked = new Marked({
    renderer: {
      // A section by its number: `## 2. Inputs`.
      heading({ tokens, depth, text }) {
        const number = /^(\d+)\./.exec(text)?.[1];
        const id = number === undefined ? "" : ` id="${number}"`;
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // A clause by its number: `**2.3 Line ends.** …`.
      paragraph({ tokens, text }) {
        const number = /^\*\*(\d+(?:\.\d+)+)\b/.exec(text)?.[1];
        const id = number === undefined ? "" : ` id="${number}"`;
        return `<p${id}>${this.parser.parseInline(tokens)}</p>\n`;
      },
      // Markup in the text is text: there is none.
      html: ({ text }) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
      // Other files of the repository are not here.
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens);
        return href.startsWith("#") ? `<a href="${encodeURI(href)}">${inside}</a>` : inside;
      },
    },
  });
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<head><meta charset="utf-8">',
    head,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    "<title>Tamiz: the canonical form</title>",
    '<link rel="icon" href="favicon.svg" type="image/svg+xml">',
    '<link rel="stylesheet" href="page.css"></head>',
    '<body class="spec"><main>',
    marked.parse(text),
    "</main></body></html>",
    "",
  ]
    .filter((line, at, all) => line !== "" || at === all.length - 1)
    .join("\n");
}
