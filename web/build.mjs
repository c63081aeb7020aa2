// Builds the page that the service has in it. `--check` builds it aside, and fails where what is committed differs.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { specification } from "./spec.mjs";

export const SOURCES = new URL("src/", import.meta.url);
/** The browsers that the page is for. */
export const TARGETS = ["chrome111", "firefox115", "safari16.4"];
const PAGE = new URL("../crates/tamiz-serve/page/", import.meta.url);

/** The files of the page, by name. The same sources give the same bytes. */
async function files() {
  const bundled = await build({
    entryPoints: ["page.ts", "page.css"].map((name) => fileURLToPath(new URL(name, SOURCES))),
    outdir: fileURLToPath(PAGE),
    bundle: true,
    minify: true,
    format: "esm",
    target: TARGETS,
    charset: "utf8",
    legalComments: "none",
    write: false,
  });
  const found = new Map(bundled.outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
  found.set("index.html", Buffer.from((await readFile(new URL("index.html", SOURCES), "utf8")).replace(/^\s+/gm, "")));
  found.set("spec.html", Buffer.from(await specification()));
  found.set("favicon.svg", await readFile(new URL("favicon.svg", SOURCES)));
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

// `site.mjs` takes the names above alone.
if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

async function main() {
  const isCheck = process.argv.includes("--check");
  const stale = [];
  if (!isCheck) await mkdir(PAGE, { recursive: true });
  for (const [name, contents] of await files()) {
    const place = new URL(name, PAGE);
    if (!isCheck) await writeFile(place, contents);
    else if (!contents.equals(await readFile(place).catch(() => Buffer.alloc(0)))) stale.push(name);
    console.log(`${name} ${contents.length}`);
  }
  if (stale.length > 0) {
    console.error(`crates/tamiz-serve/page is stale (${stale.join(", ")}): run 'npm run build' in web/ and commit it`);
    process.exit(1);
  }
}
