// The page without a server, in a real browser: `SITE` is its folder, `TAMIZ` the command that says what is right.

import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launch, open, SIZES } from "../browser.mjs";
import { tamiz } from "../service.mjs";
import { serve } from "./files.mjs";

const SITE = process.env.SITE;
const EXAMPLES = new URL("../../../examples/", import.meta.url);
const canon = (request, ...options) => tamiz(["canon", ...options], request);

let browser;
let server;
before(async () => {
  server = await serve(SITE);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens the page, cuts the network, does something, and lets nothing pass that went wrong quietly. */
async function visit(act, { from = "server", fragment = "", ...options } = {}) {
  const { context, page, faults } = await open(browser, { origins: [server.origin], ...options });
  try {
    await page.goto((from === "disk" ? pathToFileURL(join(SITE, "index.html")).href : `${server.origin}/`) + fragment);
    await page.locator("#document .line").first().waitFor({ state: "attached" });
    await context.setOffline(true);
    await act(page);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

/** Waits until the page shows this document. */
async function shows(page, expected) {
  const same = (expected) => document.querySelector("#document").textContent === expected;
  await page.waitForFunction(same, expected);
}

/** Hands a file over, as one does by choosing it. */
async function choose(page, name, buffer) {
  await page.locator("#first input[type=file]").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
}

for (const from of ["server", "disk"]) {
  test(`from a ${from}, with the network off, every example is the command's document`, () =>
    visit(
      async (page) => {
        for (const name of (await readdir(EXAMPLES)).filter((name) => name.endsWith(".http"))) {
          const request = await readFile(new URL(name, EXAMPLES));
          await choose(page, name, request);
          await shows(page, canon(request));
        }
      },
      { from },
    ));

  test(`from a ${from}: views, profiles, tokens, JSON, evidence`, () =>
    visit(
      async (page) => {
        const request = await readFile(new URL("sql-injection.http", EXAMPLES));
        await choose(page, "request.http", request);
        await shows(page, canon(request));
        await page.locator("#tab-tokens").click();
        const tokens = tamiz(["canon", "--format", "tokens"], request).trim();
        await page.waitForFunction((tokens) => document.querySelector("#tokens").textContent.trim() === tokens, tokens);
        await page.locator("#tab-json").click();
        const json = JSON.parse(tamiz(["canon", "--format", "json", "--evidence"], request));
        assert.deepEqual(JSON.parse(await page.locator("#json").textContent()), json);
        await page.locator("#tab-document").click();
        await page.locator("#first-flags .list button").first().hover();
        await page.locator("#first .lit").first().waitFor({ state: "attached" });
        for (const [name, value] of [["view", "literal"], ["profile", "full"]]) {
          await page.locator(`#${name} input[value=${value}]`).check({ force: true });
        }
        await shows(page, canon(request, "--view", "literal", "--profile", "full"));
      },
      { from },
    ));
}

test("two requests are compared, and shared by the fragment alone", async () => {
  let link;
  await visit(async (page) => {
    await page.locator("#compare").click();
    await page.locator(".verdict").waitFor();
    await page.locator("#share").click();
    link = await page.locator("#link").inputValue();
    assert.ok(link.startsWith(`${server.origin}/#`), link);
  });
  await visit(
    async (page) => {
      await page.locator(".verdict").waitFor();
    },
    { fragment: new URL(link).hash },
  );
});

test("a model is opened in the page, scores as the command does, and is forgotten", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tamiz-site-"));
  try {
    const usual = Array.from({ length: 300 }, (_, n) => JSON.stringify({ raw: `GET /item?id=${n} HTTP/1.1\r\nHost: ex.com\r\n\r\n` }));
    await writeFile(join(folder, "usual.jsonl"), usual.join("\n"));
    tamiz(["learn", join(folder, "usual.jsonl"), "-o", join(folder, "site.model"), "--quiet", "--profile", "full"]);
    const request = "GET /item?id=7%27+or+sleep(9)--&password=hunter2hunter2 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    await writeFile(join(folder, "request.http"), request);
    const expected = JSON.parse(
      tamiz(["score", join(folder, "request.http"), "--model", join(folder, "site.model"), "--profile", "full", "--format", "jsonl"]),
    );
    await visit(async (page) => {
      await choose(page, "request.http", Buffer.from(request));
      await shows(page, canon(request));
      await page.locator("#tab-score").click();
      await page.locator("#score .reasons li").first().waitFor();
      assert.match(await page.locator("#score").textContent(), /by flags alone.*It stays in this page/s);
      const open = (buffer) => page.locator("#score input[type=file]").setInputFiles({ name: "site.model", mimeType: "", buffer });
      await open(await readFile(join(folder, "site.model")));
      await page.locator("#score .forget").waitFor();
      assert.equal(await page.locator(".headline b").textContent(), expected.score.toFixed(2));
      const shown = await page.locator(".reasons li > span:last-child").allTextContents();
      assert.deepEqual(shown, expected.reasons.map(({ text }) => text.replaceAll("`", "")));
      assert.match(await page.locator("#score").textContent(), /site\.model: a model of 300 requests/);
      assert.ok(!(await page.locator("#output").innerText()).includes("hunter2"));
      await open(Buffer.from("no model at all"));
      await page.locator("#score [role=alert]").waitFor();
      assert.match(await page.locator("#score [role=alert]").textContent(), /cannot be used: not a model/);
      assert.equal(await page.locator(".headline b").textContent(), expected.score.toFixed(2), "the model before stays in use");
      await page.locator("#score .forget").click();
      await page.locator("#score .forget").waitFor({ state: "detached" });
      assert.match(await page.locator("#score").textContent(), /by flags alone/);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("it speaks Spanish, on a phone, in the dark", () =>
  visit(
    async (page) => {
      assert.equal(await page.locator("html").getAttribute("lang"), "es");
      assert.match(await page.locator("footer").textContent(), /no se envía a ningún sitio/);
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.ok(background.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 80), background);
    },
    { locale: "es", colorScheme: "dark", size: SIZES.phone, isMobile: true },
  ));

test("its policy lets nothing be sent, and the folder has no other files", async () => {
  const index = await readFile(join(SITE, "index.html"), "utf8");
  assert.match(index, /connect-src 'none'/);
  assert.deepEqual((await readdir(SITE)).sort(), ["favicon.svg", "index.html", "page.css", "page.js", "spec.html", "tamiz.js"]);
  const { context, page } = await open(browser, { origins: [server.origin] });
  await page.goto(`${server.origin}/`);
  assert.equal(await page.evaluate(() => fetch("index.html").then(() => "sent", () => "refused")), "refused");
  await context.close();
});
