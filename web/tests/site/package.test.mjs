// The npm package in Node: `PACKAGE` is its folder.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { tamiz } from "../service.mjs";
import { vectors } from "./files.mjs";

const PACKAGE = process.env.PACKAGE;
const { Canonicalizer, FORM_VERSION, flags, Scorer } = await import(pathToFileURL(join(PACKAGE, "node.js")).href);

test("all vectors give their documents and tokens", async () => {
  const all = vectors();
  // The number that the library's own test pins.
  const pinned = /const TOTAL: usize = ([\d_]+);/.exec(await readFile(new URL("../../../crates/tamiz/tests/vectors.rs", import.meta.url), "utf8"));
  assert.equal(all.length, Number(pinned[1].replaceAll("_", "")));
  const made = new Map();
  for (const { name, request, document, tokens, ...options } of all) {
    const key = JSON.stringify(options);
    const canonicalizer = made.get(key) ?? new Canonicalizer(options);
    made.set(key, canonicalizer);
    const bytes = Buffer.from(request, "base64");
    assert.equal(canonicalizer.text(bytes), document, name);
    if (tokens) assert.deepEqual(canonicalizer.tokens(bytes), Array.isArray(tokens) ? tokens : tokens.trim().split(/\s+/), name);
  }
});

test("scores are the command's, to the bit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tamiz-package-"));
  try {
    const request = (id) => `GET /item?id=${id} HTTP/1.1\r\nHost: ex.com\r\n\r\n`;
    const usual = join(folder, "usual.jsonl");
    await writeFile(usual, Array.from({ length: 300 }, (_, n) => JSON.stringify({ raw: request(n) })).join("\n"));
    const all = [request(7), request("7'+or+sleep(9)--"), "GET /admin HTTP/1.1\r\n\r\n", ""];
    await writeFile(join(folder, "new.jsonl"), all.map((raw) => JSON.stringify({ raw })).join("\n"));
    const scored = (...options) => {
      // The command tells evidence where a request is below the rate; here all are.
      const lines = tamiz(["score", join(folder, "new.jsonl"), "--format", "jsonl", "--fpr", "1", ...options]);
      const pick = ({ score, p_value, novelty, flags, new: fresh, reasons }) => ({ score, p_value, novelty, flags, new: fresh, reasons });
      return lines.trim().split("\n").map((line) => pick(JSON.parse(line)));
    };
    for (const profile of ["core", "standard", "full"]) {
      const model = join(folder, `${profile}.model`);
      tamiz(["learn", usual, "-o", model, "--quiet", "--profile", profile]);
      const scorer = new Scorer(new Uint8Array(await readFile(model)));
      assert.equal(scorer.requests, 300);
      assert.deepEqual(all.map((raw) => scorer.score(raw)), scored("--model", model, "--profile", profile));
    }
    assert.deepEqual(all.map((raw) => new Scorer().score(raw)), scored());
    const bytes = new Uint8Array(await readFile(join(folder, "full.model")));
    assert.throws(() => new Scorer(bytes.slice(0, -3)), /truncated or damaged/);
    assert.throws(() => new Scorer(new Uint8Array(9)), /not a model/);
    assert.throws(() => new Scorer("model"), TypeError);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("documents, evidence and the registry are objects", () => {
  const canonicalizer = new Canonicalizer({ profile: "full" });
  const request = "GET /a?q=1%27-- HTTP/1.1\r\nHost: ex.com\r\n\r\n";
  const document = canonicalizer.document(request, { evidence: true });
  assert.equal(document["tamiz.text"], canonicalizer.text(Buffer.from(request)));
  assert.equal(document["tamiz.fingerprint"], canonicalizer.fingerprint);
  const quote = document["tamiz.flags"].find(({ name }) => name === "QUOTE");
  const [start, end] = quote.evidence[0];
  assert.equal(request.slice(start, end), "%27");
  assert.ok(flags().some(({ name, meaning }) => name === "QUOTE" && meaning.length > 0));
  assert.equal(FORM_VERSION, document["tamiz.version"]);
});

test("mistakes of callers are errors that name what was expected", () => {
  assert.throws(() => new Canonicalizer({ view: "clear" }), /view must be one of shape, literal/);
  assert.throws(() => new Canonicalizer().text(undefined), TypeError);
});

test("a program imports it by its name, with types", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tamiz-npm-"));
  try {
    await mkdir(join(folder, "node_modules"));
    await symlink(PACKAGE, join(folder, "node_modules/tamiz"));
    const program = `import { Canonicalizer } from "tamiz";
const request: string = "GET /%2e%2e HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n";
const first: string | undefined = new Canonicalizer({ view: "literal" }).document(request)["tamiz.flags"][0]?.name;
console.log(first);
`;
    await writeFile(join(folder, "program.mts"), program);
    const compiler = new URL("../../node_modules/.bin/tsc", import.meta.url).pathname;
    const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext"];
    execFileSync(compiler, [...options, "--types", "", "--lib", "es2022,dom", "program.mts"], { cwd: folder, stdio: "inherit" });
    await writeFile(join(folder, "program.mjs"), program.replaceAll(/: string( \| undefined)?/g, ""));
    assert.equal(execFileSync("node", ["program.mjs"], { cwd: folder }).toString(), "DOTDOT\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});
