// Builds the page that needs no server, and the npm package, from the sources of the page and the library as WebAssembly:
//
//   node site.mjs BINDINGS SITE PACKAGE
//
// BINDINGS is what `tamiz-bindgen` wrote; SITE and PACKAGE are the folders to make. `cargo x site` runs it.

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { gzipAsync } from "@gfx/zopfli";
import { build } from "esbuild";

import { SOURCES, TARGETS } from "./build.mjs";
import { specification } from "./spec.mjs";

/** The most that a browser loads of the library, compressed. */
const LIMIT = 800_000;
/** Nothing but the files of the folder; nothing can be sent anywhere, not even back to where the page came from. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'none'; " +
  "base-uri 'none'; form-action 'none'";

const [bindings, site, npm] = process.argv.slice(2);
if (!npm) throw new Error("Usage: node site.mjs BINDINGS SITE PACKAGE");
const wasm = await readFile(join(bindings, "tamiz_wasm_bg.wasm"));
// The same format as of gzip, 5 % smaller, in some ten seconds.
const packed = Buffer.from(await gzipAsync(wasm, { numiterations: 5 }));
console.log(`library: ${wasm.length} bytes, ${packed.length} compressed`);
if (packed.length > LIMIT) throw new Error(`the library has ${packed.length} bytes compressed, more than ${LIMIT}`);
await buildSite();
await buildPackage();

/** A folder that works wherever it is opened from, a disk too: no modules and no fetching, which browsers refuse there. */
async function buildSite() {
  await rm(site, { recursive: true, force: true });
  await mkdir(site, { recursive: true });
  await build({
    entryPoints: ["page.ts", "page.css"].map((name) => fileURLToPath(new URL(name, SOURCES))),
    outdir: site,
    bundle: true,
    minify: true,
    format: "iife",
    target: TARGETS,
    charset: "utf8",
    legalComments: "none",
    // Where the library would be fetched from, if it were not handed over.
    logOverride: { "empty-import-meta": "silent" },
    plugins: [
      {
        name: "local",
        setup: ({ onResolve }) => {
          onResolve({ filter: /^\.\/api\.ts$/ }, () => ({ path: fileURLToPath(new URL("local.ts", SOURCES)) }));
          onResolve({ filter: /^tamiz-wasm$/ }, () => ({ path: join(bindings, "tamiz_wasm.js") }));
        },
      },
    ],
  });
  await writeFile(join(site, "tamiz.js"), `globalThis.TAMIZ_WASM="${packed.toString("base64")}"`);
  await cp(new URL("favicon.svg", SOURCES), join(site, "favicon.svg"));
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  await writeFile(join(site, "spec.html"), await specification(policy));
  const index = (await readFile(new URL("index.html", SOURCES), "utf8")).replace(/^\s+/gm, "");
  const served = '<script type="module" src="page.js"></script>';
  if (!index.includes(served)) throw new Error("index.html loads no page.js");
  const own =
    `${policy}\n` +
    '<script defer src="tamiz.js"></script>\n<script defer src="page.js"></script>';
  await writeFile(join(site, "index.html"), index.replace(served, own));
}

/** The package, as `npm publish` and `import` take it. */
async function buildPackage() {
  await rm(npm, { recursive: true, force: true });
  await cp(new URL("npm/", import.meta.url), npm, { recursive: true });
  for (const name of ["tamiz_wasm.js", "tamiz_wasm.d.ts", "tamiz_wasm_bg.wasm"]) await cp(join(bindings, name), join(npm, name));
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) await cp(new URL(`../${name}`, import.meta.url), join(npm, name));
}
