// `tamiz report`: the page of a corpus, or of the examples where there is none, as people see it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { launch, open, SIZES } from "./browser.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const TAMIZ = process.env.TAMIZ ?? join(ROOT, "target/debug/tamiz");
const CORPUS = process.env.TAMIZ_CORPUS;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const CSIC = ["csic2010_normal_train", "csic2010_normal_test", "csic2010_anomalous"].map((name) =>
  join(CORPUS ?? "", `${name}.jsonl.gz`),
);
/** Where screenshots of the corpus go, for the guide; `REPORT_SHOTS=1` takes them. */
const SHOTS = process.env.REPORT_SHOTS ? join(ROOT, "docs/report") : undefined;

/** What whoever makes the input may call things. */
const HOSTILE = `</script><script>console.error("forged")</script>"'><img src=x onerror=alert(1)>\u202e\u0007`;

let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "tamiz-report-"));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Makes a page of inputs, and gives where it is. */
function report(name, inputs, ...options) {
  const out = join(folder, `${name}.html`);
  execFileSync(TAMIZ, ["report", ...inputs, "-o", out, "--quiet", "--force", ...options], { stdio: ["ignore", "ignore", "pipe"] });
  return out;
}

/** The examples of the repository as JSON lines: labelled, over time, and called whatever. */
function examples({ labels = ["valid", "attack"] } = {}) {
  const requests = readdirSync(join(ROOT, "examples"))
    .filter((name) => name.endsWith(".http"))
    .sort()
    .map((name) => readFileSync(join(ROOT, "examples", name)).toString("base64"));
  const lines = Array.from({ length: 240 }, (_, n) =>
    JSON.stringify({
      id: `${n}`,
      label: labels[n % labels.length],
      time: new Date(Date.UTC(2026, 9, 10) + n * 17e4).toISOString(),
      raw_b64: requests[(n * 7) % requests.length],
    }),
  );
  const path = join(folder, `examples-${labels.length}-${labels[0].length}.jsonl`);
  writeFileSync(path, lines.join("\n"));
  return [path];
}

/** The page of the corpus where there is one, else of the examples. */
let made;
function page() {
  if (made) return made;
  const isThere = CORPUS !== undefined && CSIC.every((file) => existsSync(file));
  if (!isThere) console.log("SKIPPED: the report of CSIC 2010 (set TAMIZ_CORPUS); the report of the examples is tested instead");
  made = { isThere, path: isThere ? report("csic", CSIC, "--title", "CSIC 2010") : report("examples", examples()) };
  return made;
}

/** Nobody has to scroll sideways. */
async function fits(page) {
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= screen, `${wide} pixels on a screen of ${screen}`);
}

/** Opens whatever is folded away. */
async function unfold(page) {
  await page.evaluate(() => {
    document.querySelectorAll("details").forEach((details) => (details.open = true));
    document.querySelectorAll(".fold").forEach((fold) => (fold.checked = true));
  });
}

/** Opens a page and looks for what must be so at any size, in any colours. */
async function look(path, { size, colorScheme }, more = async () => {}) {
  const { context, page, faults } = await open(browser, { size, colorScheme });
  await page.goto(pathToFileURL(path).href);
  const empty = await page.evaluate(() =>
    [...document.querySelectorAll("svg.plot")]
      .filter((plot) => plot.checkVisibility())
      .filter((plot) => ![...plot.querySelectorAll(".mark")].some((mark) => {
        const box = mark.getBoundingClientRect();
        return box.width > 0 && box.height > 0;
      }))
      .map((plot) => plot.getAttribute("aria-label")),
  );
  assert.deepEqual(empty, [], "every plot has marks");
  assert.ok((await page.locator("svg.plot").count()) > 20);
  await fits(page);
  // The policy of the page allows no script, so that axe comes in by the debugger.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  await more(page);
  await unfold(page);
  await fits(page);
  assert.deepEqual(faults, []);
  await context.close();
}

for (const [name, size] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`the report is sound: ${name}, ${colorScheme}`, async () => {
      const { path, isThere } = page();
      await look(path, { size, colorScheme }, async (page) => {
        assert.equal(await page.locator("script, link[rel=stylesheet], img, iframe").count(), 0);
        if (SHOTS && isThere) await shoot(page, name, colorScheme);
      });
    });
  }
}

/** What the guide shows. */
async function shoot(page, name, colorScheme) {
  await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}.png`) });
  if (name !== "desktop" || colorScheme !== "light") return;
  // Without what stays in sight above everything.
  await page.locator("nav").evaluate((nav) => nav.setAttribute("hidden", ""));
  for (const [section, part] of [["flags", "flags"], ["shapes", "values"], ["lengths", "lengths"]]) {
    const box = await page.locator(`#${section}`).boundingBox();
    const clip = { x: box.x - 20, y: box.y + 20, width: box.width + 40, height: Math.min(box.height - 20, 900) };
    await page.screenshot({ path: join(SHOTS, `${part}.png`), fullPage: true, clip });
  }
}

test("values are told where one points", async () => {
  const { context, page: tab } = await open(browser);
  await tab.goto(pathToFileURL(report("pointed", examples())).href);
  for (const section of ["#lengths", "#time"]) {
    const plot = tab.locator(`${section} svg.plot`).first();
    assert.equal(await plot.locator(".tip:visible").count(), 0);
    await plot.locator(".hit").first().hover();
    const told = await plot.locator(".tip:visible").allTextContents();
    assert.ok(told.length > 0 && told.every((text) => /\d/.test(text)), `${section}: ${told}`);
  }
  // Whoever cannot point opens the table.
  const values = tab.locator("#lengths details").first();
  await values.locator("summary").focus();
  await tab.keyboard.press("Enter");
  assert.ok(await values.locator("table").isVisible());
  await context.close();
});

test("time, and labels of all kinds", async () => {
  for (const labels of [["valid", "attack"], ["only"], ["a", "b", "c", "d", "e", "f"], ["valid", HOSTILE]]) {
    const path = report("labels", examples({ labels }));
    await look(path, { size: SIZES.phone, colorScheme: "light" }, async (page) => {
      assert.ok((await page.locator("#time svg.plot .mark").count()) > 20);
      assert.equal(await page.locator("script, img").count(), 0, "a label is no markup");
    });
  }
});

test("a page of nothing", async () => {
  const nothing = join(folder, "nothing.jsonl");
  writeFileSync(nothing, '{"raw":"GET / HTTP/1.1"}\n');
  const path = report("nothing", [nothing], "--limit", "0");
  const { context, page: tab, faults } = await open(browser);
  await tab.goto(pathToFileURL(path).href);
  assert.match(await tab.locator("header").textContent(), /0 requests/);
  assert.deepEqual(faults, []);
  await context.close();
});

/** Opens the report of the examples, at some size. */
async function visit(act, { options = [], ...look } = {}) {
  const { context, page: tab, faults } = await open(browser, look);
  await tab.goto(pathToFileURL(report("visited", examples(), ...options)).href);
  await act(tab);
  assert.deepEqual(faults, []);
  await context.close();
}

test("on a phone sections fold, and open by a tap, by the keyboard and by a link", () =>
  visit(
    async (tab) => {
      const height = () => tab.evaluate(() => document.documentElement.scrollHeight);
      const folded = await height();
      assert.ok(folded < 2_500, `${folded} pixels`);
      for (const section of ["find", "flags", "paths", "secrets"]) {
        assert.equal(await tab.locator(`#${section} .body`).isVisible(), false, section);
      }
      await tab.locator("#secrets h2 label").tap();
      assert.ok(await tab.locator("#secrets .body").isVisible());
      await tab.locator("#secrets h2 label").tap();
      assert.equal(await tab.locator("#secrets .body").isVisible(), false);
      await tab.locator("#fold-paths").focus();
      await tab.keyboard.press("Space");
      assert.ok(await tab.locator("#paths .body").isVisible());
      await tab.locator("nav a[href='#lengths']").tap();
      assert.ok(await tab.locator("#lengths .body").isVisible());
      await tab.locator("#paths details summary").first().tap();
      await tab.locator("#paths .at a").first().tap();
      assert.ok(await tab.locator("#flags :target").isVisible(), "a link into a folded section opens it");
    },
    { size: SIZES.phone, isMobile: true, hasTouch: true },
  ));

test("one label alone: its columns, and what it has", () =>
  visit(async (tab) => {
    const shown = (selector) => tab.locator(`${selector}:visible`).count();
    const [rows, columns] = [await shown("#flags tbody tr"), await shown("#flags thead .l0")];
    assert.ok(columns > 0);
    await tab.locator("label", { hasText: /^attack$/ }).click();
    assert.equal(await shown("#flags thead .l0"), 0);
    assert.equal(await shown("#flags .mark.s0"), 0);
    assert.equal(await shown("#flags thead .l1"), columns);
    assert.ok((await shown("#flags .mark.s1")) > 0 && (await shown("#flags tbody tr")) <= rows);
    assert.equal(await shown(".no1"), 0, "rows that no attack has");
    await tab.locator(".only label", { hasText: /^all$/ }).click();
    assert.equal(await shown("#flags tbody tr"), rows);
  }));

test("each colour has its label beside it", () =>
  visit(async (tab) => {
    const tables = await tab.locator("table.rows:visible").all();
    for (const table of tables) {
      const heads = await table.locator("thead th.n:not(.lift)").all();
      for (const head of heads) {
        const name = (await head.textContent()).trim();
        if (name !== "secrets") assert.equal(await head.locator("svg .mark").count(), 1, name);
      }
    }
    assert.ok(tables.length > 5);
    assert.match(await tab.locator("#shapes code[title]").first().getAttribute("title"), /in the (query|body)$/);
  }));

test("the theme is the system's, or the reader's", async () => {
  const ground = (tab) => tab.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]));
  for (const colorScheme of ["light", "dark"]) {
    await visit(
      async (tab) => {
        const system = await ground(tab);
        assert.equal(system > 128, colorScheme === "light");
        for (const [choice, isLight] of [["light", true], ["dark", false]]) {
          await tab.locator(".theme label", { hasText: choice }).click();
          assert.equal((await ground(tab)) > 128, isLight);
        }
        await tab.locator(".theme label", { hasText: "system" }).click();
        assert.equal(await ground(tab), system);
      },
      { colorScheme },
    );
  }
});

test("scores, at every size", async () => {
  const usual = join(folder, "usual.jsonl");
  const request = (n) => `GET /item?id=${n} HTTP/1.1\r\nHost: ex.com\r\n\r\n`;
  writeFileSync(usual, Array.from({ length: 300 }, (_, n) => JSON.stringify({ raw: request(n) })).join("\n"));
  const model = join(folder, "site.model");
  execFileSync(TAMIZ, ["learn", usual, "-o", model, "--force", "--quiet"], { stdio: "ignore" });
  const path = report("scored", examples(), "--model", model);
  for (const size of Object.values(SIZES)) {
    await look(path, { size, colorScheme: "dark" }, async (tab) => {
      await unfold(tab);
      assert.ok((await tab.locator("#scores svg.plot .mark").count()) > 20, "scores over time");
      assert.ok((await tab.locator(".highest > li").count()) > 3);
      assert.match(await tab.locator(".highest li ul").first().textContent(), /raises|never/);
    });
  }
});
