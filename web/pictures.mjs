// The pictures of docs/page/, taken anew: `TAMIZ=../target/release/tamiz npm run pictures`.

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { launch, open, SIZES } from "./tests/browser.mjs";
import { start } from "./tests/service.mjs";

const FOLDER = new URL("../docs/page/", import.meta.url);
const PHONE = { size: SIZES.phone, isMobile: true, hasTouch: true };

const flag = (page, title) =>
  page.locator("#first-flags .flag button").filter({ has: page.locator(".name", { hasText: new RegExp(`^${title}$`) }) });

const PICTURES = {
  "desktop-light": [{}, (page) => flag(page, "DOUBLEPCT").hover()],
  "desktop-dark": [
    { colorScheme: "dark" },
    async (page) => {
      await page.locator("#example").selectOption("smuggling");
      await flag(page, "CLTE").click();
    },
  ],
  "compare-light": [
    {},
    async (page) => {
      await page.locator("#example").selectOption("odd-pair");
      await page.locator(".verdict.spelling").waitFor();
    },
  ],
  "phone-light": [PHONE, (page) => flag(page, "QUOTE").tap()],
  "phone-dark": [
    { ...PHONE, colorScheme: "dark", locale: "es" },
    async (page) => {
      await page.locator("#example").selectOption("pair");
      await page.locator(".verdict.same").waitFor();
      await page.locator("#comparison").scrollIntoViewIfNeeded();
    },
  ],
};

await mkdir(FOLDER, { recursive: true });
const service = await start();
const browser = await launch();
try {
  for (const [name, [options, act]] of Object.entries(PICTURES)) {
    const { context, page, faults } = await open(browser, { origins: [service.origin], ...options });
    await page.goto(service.origin);
    await page.locator(".flag").first().waitFor();
    await act(page);
    // What moves comes to rest.
    await page.waitForTimeout(500);
    await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, FOLDER)) });
    if (faults.length > 0) throw new Error(faults.join("; "));
    await context.close();
  }
} finally {
  await browser.close();
  await service.stop();
}
