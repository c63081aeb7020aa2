// The kit itself: a page that does nothing wrong has no faults, and one that does has them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, open, SIZES } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("a quiet page has no faults", async () => {
  const { context, page, faults } = await open(browser, { size: SIZES.phone, colorScheme: "dark" });
  await page.setContent("<p>fine</p>");
  assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), true);
  assert.equal(await page.evaluate(() => innerWidth), SIZES.phone.width);
  assert.deepEqual(faults, []);
  await context.close();
});

test("what goes wrong is told", async () => {
  const { context, page, faults } = await open(browser);
  const thrown = page.waitForEvent("pageerror");
  await page.setContent("<script>console.error('one'); setTimeout(() => { throw new Error('two'); })</script>");
  await thrown;
  const asked = page.waitForEvent("request");
  await page.setContent("<img src='http://127.0.0.1:1/three.png'>");
  await asked;
  for (const part of ["one", "two", "asked for http://127.0.0.1:1"]) {
    assert.ok(faults.some((fault) => fault.includes(part)), `${part} is missing in ${faults.join("; ")}`);
  }
  await context.close();
});
