// A real Chromium, as the system has it, and pages that may not go wrong quietly.

import { chromium } from "playwright-core";

/** The sizes that pages are looked at: a desk, and a phone. */
export const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
};

/** Ends a test that hangs, in milliseconds. No result depends on it: whatever a test waits for comes, sooner or later. */
export const PATIENCE = 600_000;

/** Starts the browser: `CHROMIUM`, or what the system calls so. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
    timeout: PATIENCE,
  });
}

/**
 * Opens a page of its own. `faults` fills with what it says on the console as an error or a warning (a violation of
 * its Content-Security-Policy is one), with what it throws, and with every request it makes that is not to `origins`.
 */
export async function open(browser, { size = SIZES.desktop, colorScheme = "light", locale = "en", origins = [], ...rest } = {}) {
  // Colours do not change step by step: what is looked at is what a page comes to.
  const context = await browser.newContext({ viewport: size, colorScheme, locale, timezoneId: "UTC", reducedMotion: "reduce", ...rest });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isOwn = ["file:", "data:", "blob:", "about:"].includes(url.protocol) || origins.includes(url.origin);
    if (!isOwn) faults.push(`asked for ${url.origin}`);
  });
  return { context, page, faults };
}
