// The page, in a real browser, from the service that has it in it.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, open, SIZES } from "./browser.mjs";
import { start, startOnPortOfItsOwn, tamiz } from "./service.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { size: SIZES.phone, isMobile: true, hasTouch: true };

/** Characters of one, two, three and four bytes stand before the evidence. */
const REQUEST = "GET /ñandú/€😀/%252e?q=1%27--%20 HTTP/1.1\nHost: ex.com\nUser-Agent: curl/8.5.0\n\n";
const wire = (text) => text.replaceAll("\n", "\r\n");

let browser;
let service;
before(async () => {
  service = await start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Opens the page, does something with it, and lets nothing pass that went wrong quietly. */
async function visit(act, { path = "/", at = service, expected = [], ...options } = {}) {
  const { context, page, faults } = await open(browser, { origins: [at.origin], ...options });
  try {
    await page.goto(at.origin + path);
    await page.locator("#document .line").first().waitFor({ state: "attached" });
    await act(page);
    assert.deepEqual(faults.filter((fault) => !expected.some((pattern) => pattern.test(fault))), []);
  } finally {
    await context.close();
  }
}

/** Puts a text over everything in a request box, as a paste does, from the clipboard. */
async function paste(page, text, box = "#first-text") {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.locator(box).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Control+V");
}

const documentOf = (page) => page.locator("#document").textContent();
const canon = (request, ...options) => tamiz(["canon", ...options], request);

/** Waits until the page shows the document of these bytes. */
async function showsDocument(page, request, ...options) {
  const expected = canon(request, ...options);
  await page.waitForFunction((expected) => document.querySelector("#document").textContent === expected, expected).catch(async () => {
    assert.equal(await documentOf(page), expected);
  });
}

const flag = (page, title, list = "#first-flags") =>
  page.locator(`${list} .flag`).filter({ has: page.locator(".name", { hasText: new RegExp(`^${title}$`) }) });
const lit = (page, box = "#first") => page.locator(`${box} .mark.lit`).allTextContents();
const litFlags = (page) => page.locator("#first-flags .flag.lit .name").allTextContents();

/** Nothing serious to find for those who need the page to be well made. */
async function isAccessible(page, what) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
  assert.deepEqual(told, [], what);
}

/** Nothing is wider than the screen. */
async function fits(page, width) {
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
}

test("it begins with an example, and a flag is seen in the request when it is pointed at", () =>
  visit(async (page) => {
    assert.equal(await page.locator("#example").inputValue(), "injection");
    await flag(page, "DOUBLEPCT").hover();
    assert.ok((await lit(page)).length > 0 && (await lit(page)).every((text) => /^%25/.test(text)));
    assert.deepEqual(await page.locator("#document .lit").allTextContents(), ["[DOUBLEPCT]", "DOUBLEPCT"]);
  }));

test("a pasted request becomes its document, and evidence is matched beyond ASCII", () =>
  visit(async (page) => {
    await paste(page, REQUEST);
    await showsDocument(page, wire(REQUEST));
    assert.equal(await page.locator("#first-text").inputValue(), REQUEST);
    assert.match(await page.locator("#first .size").textContent(), new RegExp(`^${Buffer.byteLength(wire(REQUEST))} `));
    await flag(page, "DOUBLEPCT").hover();
    assert.deepEqual(await lit(page), ["%252e"]);
    await flag(page, "QUOTE").hover();
    assert.deepEqual(await lit(page), ["%27"]);
    await page.mouse.move(0, 0);
    assert.deepEqual(await lit(page), []);
  }));

test("a place in the request lights its flags, by the pointer and by the cursor", () =>
  visit(async (page) => {
    await paste(page, REQUEST);
    await showsDocument(page, wire(REQUEST));
    await page.locator("#copy").focus();
    const mark = page.locator("#first .mark", { hasText: /^%252e$/ });
    const { x, y, width, height } = await mark.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    assert.ok((await litFlags(page)).includes("DOUBLEPCT"));
    assert.match(await page.locator("#first-here").textContent(), /DOUBLEPCT/);
    await page.mouse.move(x + width + 60, y + height * 4);
    assert.deepEqual(await litFlags(page), []);
    await page.locator("#first-text").focus();
    await page.evaluate((at) => document.querySelector("#first-text").setSelectionRange(at, at), REQUEST.indexOf("%27") + 1);
    await page.waitForFunction(() => document.querySelector("#first-here").textContent.includes("QUOTE"));
    assert.ok((await litFlags(page)).includes("QUOTE"));
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelectorAll(".flag.lit").length === 0);
  }));

test("a flag of the document is pointed at in the request too", () =>
  visit(async (page) => {
    await paste(page, REQUEST);
    await showsDocument(page, wire(REQUEST));
    await page.locator("#document [data-flag=SQLCMT]").first().hover();
    assert.deepEqual(await litFlags(page), ["SQLCMT"]);
    assert.deepEqual(await lit(page), ["--"]);
  }));

test("marks lie under their letters, also where lines break", async () => {
  for (const options of [{}, PHONE]) {
    await visit(async (page) => {
      const long = `GET /${"wide/%252e/".repeat(60)}é😀?a=${"%27b c".replace(" ", "+").repeat(40)} HTTP/1.1\nHost: ex.com\n\n`;
      await paste(page, long);
      await showsDocument(page, wire(long));
      const sizes = await page.evaluate(() => {
        const [text, marks] = [document.querySelector("#first-text"), document.querySelector("#first .marks")];
        return [text, marks].map(({ scrollHeight, clientWidth }) => [scrollHeight, clientWidth]);
      });
      assert.deepEqual(sizes[0], sizes[1]);
    }, options);
  }
});

test("views and profiles are those of the command", () =>
  visit(async (page) => {
    await paste(page, REQUEST);
    for (const view of ["literal", "shape"]) {
      for (const profile of ["core", "full", "standard"]) {
        await page.locator(`#view input[value=${view}]`).check({ force: true });
        await page.locator(`#profile input[value=${profile}]`).check({ force: true });
        await showsDocument(page, wire(REQUEST), "--view", view, "--profile", profile);
        assert.equal(await page.locator("#literal-note").isVisible(), view === "literal");
      }
    }
  }));

test("tokens and JSON are those of the command, and arrow keys lead to them", () =>
  visit(async (page) => {
    await paste(page, REQUEST);
    await showsDocument(page, wire(REQUEST));
    await page.locator("#tab-document").focus();
    await page.keyboard.press("ArrowRight");
    const tokens = canon(wire(REQUEST), "--format", "tokens").trim();
    await page.waitForFunction((tokens) => document.querySelector("#tokens").textContent.trim() === tokens, tokens);
    await page.keyboard.press("ArrowRight");
    const json = JSON.parse(await page.locator("#json").textContent());
    assert.deepEqual(json, JSON.parse(canon(wire(REQUEST), "--format", "json", "--evidence")));
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.locator("#panel-score").isVisible());
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.locator("#panel-document").isVisible());
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-score");
    await page.keyboard.press("ArrowLeft");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#copy").click();
    await page.waitForFunction(() => document.querySelector("#announce").textContent === "Copied");
    assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())), json);
  }));

test("line ends are chosen in sight, and any byte can be written", () =>
  visit(async (page) => {
    const lineEnds = page.locator("#first .spelling");
    await paste(page, REQUEST);
    await showsDocument(page, wire(REQUEST));
    assert.equal(await lineEnds.inputValue(), "crlf");
    await lineEnds.selectOption("lf");
    await showsDocument(page, REQUEST);
    await lineEnds.selectOption("escapes");
    assert.ok((await page.locator("#first-text").inputValue()).startsWith("GET /ñandú/€😀/%252e?q=1%27--%20 HTTP/1.1\\n\n"));
    await showsDocument(page, REQUEST);
    const odd = "GET /a\\x00\\xff HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n";
    await page.locator("#first-text").fill(odd);
    await showsDocument(page, Buffer.from("GET /a\0\xff HTTP/1.1\r\nHost: ex.com\r\n\r\n", "latin1"));
    await flag(page, "BADUTF8").hover();
    assert.deepEqual(await lit(page), ["\\xff"]);
    await lineEnds.selectOption("crlf");
    assert.equal(await lineEnds.inputValue(), "escapes", "what is no text stays written out");
    assert.ok(await page.locator("#first .note").isVisible());
  }));

test("a pasted body keeps the line ends that its length tells", () =>
  visit(async (page) => {
    const body = '{\n  "a": 1\n}\n';
    const head = `POST / HTTP/1.1\nHost: ex.com\nContent-Type: application/json\nContent-Length: ${body.length}\n\n`;
    await paste(page, head + body);
    await showsDocument(page, wire(head) + body);
    assert.equal(await page.locator("#first .spelling").inputValue(), "head");
  }));

test("what cannot be seen in a text box is written out when it is pasted", () =>
  visit(async (page) => {
    const request = "GET /ad\u200bmin?a=\u202eb HTTP/1.1\nHost: ex.com\n\n";
    await paste(page, request);
    await showsDocument(page, request);
    assert.match(await page.locator("#first-text").inputValue(), /^GET \/ad\\u\{200B\}min\?a=\\u\{202E\}b HTTP/);
    await flag(page, "INVISIBLE").hover();
    assert.deepEqual(await lit(page), ["\\u{200B}"]);
  }));

test("a file is taken as the bytes that it is: opened, or dropped", () =>
  visit(async (page) => {
    const request = Buffer.from("GET /a%252f\xe9 HTTP/1.1\r\nHost: ex.com\r\nX: \x1b[0m\nB: c\r\n\r\n\0\0\xff", "latin1");
    await page.locator("#first input[type=file]").setInputFiles({ name: "a.http", mimeType: "application/octet-stream", buffer: request });
    await showsDocument(page, request);
    await page.locator("#first .clear").click();
    await showsDocument(page, "");
    await page.evaluate((bytes) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(bytes)], "a.http"));
      const event = (name) => new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector("#first-text").dispatchEvent(event("dragover"));
      if (document.querySelector("#drop").hidden) throw new Error("nothing says that files can be dropped");
      document.querySelector("#first-text").dispatchEvent(event("drop"));
    }, [...request]);
    await showsDocument(page, request);
    assert.ok(await page.locator("#drop").isHidden());
    await flag(page, "DOUBLEPCT").hover();
    assert.deepEqual(await lit(page), ["%252f"]);
  }));

test("a request that lost its blank line gets it back", () =>
  visit(async (page) => {
    await paste(page, REQUEST.trimEnd());
    await showsDocument(page, wire(REQUEST.trimEnd()));
    await page.locator("#first .note button").click();
    await showsDocument(page, wire(REQUEST));
    assert.ok(await page.locator("#first .note").isHidden());
  }));

test("two spellings of a request are one document, and the page says so", () =>
  visit(async (page) => {
    await page.locator("#example").selectOption("pair");
    await page.locator(".verdict.same").waitFor();
    assert.match(await page.locator(".verdict").textContent(), /^Same document/);
    await page.locator("#example").selectOption("odd-pair");
    await page.locator(".verdict.spelling").waitFor();
    assert.equal(await page.locator("#second-flags .flag").count(), 6);
    await flag(page, "DOTCUR", "#second-flags").hover();
    assert.deepEqual(await lit(page, "#second"), ["."]);
    await paste(page, REQUEST, "#second-text");
    await page.locator(".verdict.different").waitFor();
    const [left, right] = await Promise.all(["left", "right"].map((side) => page.locator(`.cell.${side}`).first().boundingBox()));
    assert.ok(left.y === right.y && left.x < right.x, "side by side");
    await page.locator("#compare").click();
    assert.ok(await page.locator("#output").isVisible());
    assert.ok(await page.locator("#second").isHidden());
  }));

test("comparing begins with a copy to be changed", () =>
  visit(async (page) => {
    await page.locator("#compare").click();
    await page.locator(".verdict.same").waitFor();
    assert.equal(await page.locator("#second-text").inputValue(), await page.locator("#first-text").inputValue());
  }));

test("a link keeps the request to itself, and opens as it was", async () => {
  let link;
  await visit(async (page) => {
    await page.locator("#example").selectOption("homograph");
    await page.locator("#profile input[value=full]").check({ force: true });
    await page.locator("#share").click();
    link = await page.locator("#link").inputValue();
    assert.match(await page.locator("#share-dialog").textContent(), /every password, cookie and token/);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#copy-link").click();
    await page.waitForFunction(() => document.querySelector("#share-outcome").textContent === "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#share-dialog").isHidden());
    assert.equal(await page.evaluate(() => document.activeElement.id), "share");
    assert.equal(await page.evaluate(() => location.hash), "", "the address of this page does not change");
  });
  const { pathname, search, hash } = new URL(link);
  assert.equal(pathname + search, "/");
  await visit(async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    await page.locator(".flag").first().waitFor();
    assert.match(await page.locator("#first-text").inputValue(), /^GET \/раypal.*\\u\{200B\}min/);
    assert.ok(await page.locator("#profile input[value=full]").isChecked());
    assert.ok(asked.every((url) => !url.includes(hash.slice(3, 20))), "the fragment is not sent");
    await page.locator("#first-text").press("End");
    await page.keyboard.type("x");
    assert.equal(await page.evaluate(() => location.hash), "", "a link that says something else is gone");
  }, { path: `/${hash}` });
});

test("a link to two requests compares them, and a broken one is told", async () => {
  let hash;
  await visit(async (page) => {
    await page.locator("#example").selectOption("pair");
    await page.locator(".verdict.same").waitFor();
    await page.locator("#share").click();
    hash = new URL(await page.locator("#link").inputValue()).hash;
  });
  await visit((page) => page.locator(".verdict.same").waitFor(), { path: `/${hash}` });
  await visit(async (page) => {
    assert.match(await page.locator("#notices").textContent(), /cannot be read/);
    await page.locator("#notices button").click();
    assert.equal(await page.locator("#notices p").count(), 0);
  }, { path: "/#a=dAAAA" });
});

test("everything can be done with the keyboard", () =>
  visit(async (page) => {
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.value);
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "skip");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "output");
    await page.reload();
    await page.locator(".flag").first().waitFor();
    const way = [];
    for (let step = 0; step < 40 && way.at(-1) !== "DOUBLEPCT"; step++) {
      await page.keyboard.press("Tab");
      const seen = await page.evaluate(() => {
        const element = document.activeElement;
        const { outlineStyle } = getComputedStyle(element.matches(".choice input") ? element.nextElementSibling : element);
        return { name: element.querySelector(".name")?.textContent ?? (element.id || element.className || element.value), outlineStyle };
      });
      assert.notEqual(seen.outlineStyle, "none", `the focus on ${seen.name} is seen`);
      way.push(seen.name);
    }
    for (const name of ["theme", "language", "example", "shape", "standard", "compare", "share", "first-text", "tab-document", "copy", "DOUBLEPCT"]) {
      assert.ok(way.includes(name), `${name} is reached: ${way.join(" ")}`);
    }
    assert.ok((await lit(page)).every((text) => text.startsWith("%25")) && (await lit(page)).length > 0);
    await page.keyboard.press("ArrowDown");
    const second = await litFlags(page);
    assert.equal(second.length, 1);
    assert.notEqual(second[0], "DOUBLEPCT");
    await page.keyboard.press("Enter");
    assert.ok(await page.locator(".flag.lit .details").isVisible());
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".details:visible").count(), 0);
    await page.locator("#view input[value=shape]").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => !document.querySelector("#literal-note").hidden);
  }));

test("what is chosen stays, in the next document too", () =>
  visit(async (page) => {
    await paste(page, REQUEST);
    await showsDocument(page, wire(REQUEST));
    await flag(page, "QUOTE").click();
    await page.mouse.move(0, 0);
    await page.locator("#copy").focus();
    assert.deepEqual(await lit(page), ["%27"]);
    const longer = REQUEST.replace("/ñ", "/xx/ñ");
    await paste(page, longer);
    await showsDocument(page, wire(longer));
    await page.locator("#copy").focus();
    assert.deepEqual(await lit(page), ["%27"]);
    assert.ok(await flag(page, "QUOTE").locator(".details").isVisible());
  }));

test("it fits a phone, where the request stays in sight of its flags", () =>
  visit(async (page) => {
    await fits(page, SIZES.phone.width);
    await flag(page, "SQLCMT").scrollIntoViewIfNeeded();
    await flag(page, "SQLCMT").locator("button").tap();
    assert.ok((await lit(page)).includes("--"));
    const mark = await page.locator(".mark.lit").first().boundingBox();
    assert.ok(mark.y >= 0 && mark.y < SIZES.phone.height / 2, `the evidence is in sight: ${mark.y}`);
    await page.locator("#example").selectOption("odd-pair");
    await page.locator(".verdict.spelling").waitFor();
    await fits(page, SIZES.phone.width);
    const changed = page.locator(".diff .changed").first();
    const [left, right] = await Promise.all(["left", "right"].map((side) => changed.locator(`.${side}`).boundingBox()));
    assert.ok(right.y >= left.y + left.height && right.x === left.x, "one below the other");
    // As narrow as pages are looked at, or as large as letters are made.
    await page.setViewportSize({ width: 320, height: 640 });
    await fits(page, 320);
    await page.locator("#compare").click();
    await fits(page, 320);
  }, PHONE));

test("it speaks Spanish and English, and remembers which", () =>
  visit(async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.lang), "es");
    assert.equal(await page.locator("#first-title").textContent(), "Petición");
    assert.match(await flag(page, "DOUBLEPCT").locator(".meaning").textContent(), /Después de decodificar una vez/);
    await page.locator("#language").selectOption("en");
    assert.match(await flag(page, "DOUBLEPCT").locator(".meaning").textContent(), /left after decoding once/);
    await page.reload();
    await page.locator(".flag").first().waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
    assert.equal(await page.locator("#first-title").textContent(), "Request");
  }, { locale: "es-ES" }));

test("the Spanish flags are those of the registry", async () => {
  const source = await readFile(new URL("../src/i18n/flags.es.ts", import.meta.url), "utf8");
  const told = [...source.matchAll(/^ {2}([A-Z0-9_]+): told\(/gm)].map(([, name]) => name).sort();
  const known = tamiz(["flags", "--format", "json"]).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(told, known.map(({ name }) => name).sort());
  // What stands between backquotes is not translated, but for the name of a header.
  const code = (text) => (text.match(/`[^`]*`/g) ?? []).map((part) => part.replace("nombre", "name")).sort();
  for (const { name, meaning } of known) {
    const spanish = new RegExp(`^  ${name}: told\\(\\s*"((?:[^"\\\\]|\\\\.)*)"`, "m").exec(source)[1];
    assert.deepEqual(code(JSON.parse(`"${spanish}"`)), code(meaning), name);
  }
});

test("in the dark it is dark", () =>
  visit(async (page) => {
    const light = (selector) =>
      page.evaluate((selector) => {
        const [r, g, b] = getComputedStyle(document.querySelector(selector)).backgroundColor.match(/\d+/g).map(Number);
        return (r + g + b) / 3;
      }, selector);
    assert.ok((await light("body")) < 60 && (await light(".panel")) < 60);
  }, { colorScheme: "dark" }));

test("the theme is the system's, or the reader's, who is remembered", async () => {
  const light = (page) => page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) > 128);
  for (const colorScheme of ["light", "dark"]) {
    await visit(async (page) => {
      const other = colorScheme === "light" ? "dark" : "light";
      assert.equal(await light(page), colorScheme === "light");
      await page.locator("#theme").selectOption(other);
      assert.equal(await light(page), other === "light");
      await isAccessible(page, `${other} on a system that is ${colorScheme}`);
      await page.reload();
      await page.locator(".flag").first().waitFor();
      assert.equal(await light(page), other === "light");
      assert.equal(await page.locator("#theme").inputValue(), other);
      await page.locator("#theme").selectOption("system");
      assert.equal(await light(page), colorScheme === "light");
    }, { colorScheme });
  }
});

test("a clause leads to its place in the specification, and a place is told in words", async () => {
  const { flags } = await (await fetch(`${service.origin}/v1/flags`)).json();
  await visit(async (page) => {
    await flag(page, "QUOTE").locator("button").click();
    const details = flag(page, "QUOTE").locator(".details");
    const link = details.locator("a");
    const { clause } = flags.find(({ name }) => name === "QUOTE");
    assert.equal(await link.getAttribute("href"), `spec.html#${clause}`);
    assert.equal(await details.locator("dd code[title]").first().getAttribute("title"), "the value of id in the query");
    const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await opened.waitForLoadState();
    const target = opened.locator(":target");
    assert.ok((await target.textContent()).startsWith(`${clause} `));
    assert.ok(await target.evaluate((element) => element.getBoundingClientRect().top < innerHeight));
    const places = await opened.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
    assert.equal(new Set(places).size, places.length);
    for (const { name, clause } of flags) assert.ok(places.includes(clause), `${name}: ${clause}`);
    await fits(opened, SIZES.desktop.width);
    await isAccessible(opened, "the specification");
    await page.locator("#tab-tokens").click();
    await page.locator("#tokens code", { hasText: /^q\.id$/ }).waitFor();
    assert.equal(await page.locator("#tokens code", { hasText: /^q\.id$/ }).getAttribute("title"), "the value of id in the query");
  });
});

test("what is counted is what the tab shows", () =>
  visit(async (page) => {
    const summary = () => page.locator("#summary").textContent();
    const lines = async (selector) => (await page.locator(selector).textContent()).trimEnd().split("\n").length;
    const titles = (await documentOf(page)).match(/^FLAGS:\[(.*)\]$/m)[1].split(" ");
    assert.equal(await summary(), `${await lines("#document")} lines, ${titles.length} flags`);
    await page.locator("#tab-json").click();
    const json = JSON.parse(await page.locator("#json").textContent());
    assert.equal(await summary(), `${await lines("#json")} lines, ${json["tamiz.flags"].length} flags`);
    await page.locator("#tab-tokens").click();
    await page.waitForFunction(() => / tokens$/.test(document.querySelector("#summary").textContent));
    assert.equal(await summary(), `${await page.locator("#tokens code").count()} tokens`);
    await page.locator("#tab-score").click();
    assert.equal(await summary(), "");
  }));

test("without a model flags alone score, and the page says so", () =>
  visit(async (page) => {
    await page.locator("#tab-score").click();
    await page.locator("#score .reasons li").first().waitFor();
    assert.match(await page.locator("#score").textContent(), /by flags alone.*tamiz serve --model/s);
    assert.equal(await page.locator("#score button").count(), 0, "nobody changes the model of a service");
  }));

test("the score of the service's model, with its reasons, and no secret in them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tamiz-page-"));
  const request = (id) => `GET /item?id=${id} HTTP/1.1\r\nHost: ex.com\r\n\r\n`;
  await writeFile(join(folder, "usual.jsonl"), Array.from({ length: 300 }, (_, n) => JSON.stringify({ raw: request(n) })).join("\n"));
  tamiz(["learn", join(folder, "usual.jsonl"), "-o", join(folder, "site.model"), "--quiet"]);
  const scoring = await start(0, "--model", join(folder, "site.model"));
  try {
    await visit(
      async (page) => {
        const odd = "GET /item?id=7%27+or+sleep(9)--&password=hunter2hunter2 HTTP/1.1\nHost: ex.com\nAuthorization: Bearer canary-0123456789abcdef\n\n";
        await paste(page, odd);
        await page.locator("#tab-score").click();
        await page.locator("#score .reasons li").first().waitFor();
        const answer = await fetch(`${scoring.origin}/v1/score`, { method: "POST", body: wire(odd), headers: { "Content-Type": "application/octet-stream" } });
        const { score, reasons } = await answer.json();
        await page.waitForFunction((score) => document.querySelector(".headline b")?.textContent === score, score.toFixed(2));
        const told = await page.locator("#score").textContent();
        assert.match(told, /% of the learned requests score as high.*never seen here.*Scored by the model/s);
        const shown = await page.locator(".reasons li > span:last-child").allTextContents();
        assert.deepEqual(shown, reasons.map(({ text }) => text.replaceAll("`", "")));
        assert.ok(!/hunter2|canary-/.test(await page.locator("#output").innerText()));
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        await page.locator("#copy").click();
        await page.waitForFunction(() => document.querySelector("#announce").textContent === "Copied");
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.ok(copied.startsWith(`score ${score.toFixed(2)}, p `) && copied.includes(reasons[0].text), copied);
        await page.locator("#language").selectOption("es");
        assert.match(await page.locator("#score").textContent(), /de las peticiones aprendidas/);
        await paste(page, request(7).replaceAll("\r", ""));
        await page.waitForFunction((score) => document.querySelector(".headline b")?.textContent !== score, score.toFixed(2));
      },
      { at: scoring },
    );
  } finally {
    await scoring.stop();
    await rm(folder, { recursive: true });
  }
});

test("nothing serious is found by axe, in any of its looks", async () => {
  for (const [what, options] of Object.entries({
    light: {},
    dark: { colorScheme: "dark" },
    "phone, light, Spanish": { ...PHONE, locale: "es" },
    "phone, dark": { ...PHONE, colorScheme: "dark" },
  })) {
    await visit(async (page) => {
      await page.locator(".legend summary").click();
      await flag(page, "QUOTE").locator("button").click();
      await isAccessible(page, what);
      await page.locator("#tab-json").click();
      await isAccessible(page, `${what}, JSON`);
      await page.locator("#tab-tokens").click();
      await page.locator("#tokens code").first().waitFor();
      await isAccessible(page, `${what}, tokens`);
      await page.locator("#tab-score").click();
      await page.locator("#score .reasons li").first().waitFor();
      await isAccessible(page, `${what}, score`);
      await fits(page, (options.size ?? SIZES.desktop).width);
      await page.locator("#example").selectOption("odd-pair");
      await page.locator(".verdict.spelling").waitFor();
      await isAccessible(page, `${what}, comparison`);
      await page.locator("#share").click();
      await isAccessible(page, `${what}, link`);
    }, options);
  }
});

test("a service that is gone is told, what is shown stays, and it goes on when it is back", async () => {
  const own = await startOnPortOfItsOwn();
  let again;
  try {
    await visit(async (page) => {
      await paste(page, REQUEST);
      await showsDocument(page, wire(REQUEST));
      await own.stop();
      const other = REQUEST.replace("%252e", "%2e");
      await paste(page, other);
      await page.locator("#notices .notice").waitFor();
      assert.match(await page.locator("#notices").textContent(), /cannot be reached/);
      assert.equal(await documentOf(page), canon(wire(REQUEST)));
      await flag(page, "SQLCMT").hover();
      assert.deepEqual(await lit(page), ["--"], "marks moved along with the edit");
      await page.locator("#tab-json").click();
      assert.equal(JSON.parse(await page.locator("#json").textContent())["tamiz.text"], canon(wire(REQUEST)));
      await page.locator("#language").selectOption("es");
      assert.match(await page.locator("#notices").textContent(), /No se llega al servicio/);
      await page.locator("#share").click();
      assert.match(await page.locator("#link").inputValue(), /#a=/);
      await page.keyboard.press("Escape");
      again = await start(own.port);
      await page.locator("#notices .notice").waitFor({ state: "detached" });
      await page.locator("#tab-document").click();
      await showsDocument(page, wire(other));
    }, { at: own, expected: [/Failed to load resource: net::ERR_CONNECTION_(REFUSED|RESET)/, /net::ERR_(EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/] });
  } finally {
    await own.stop();
    await again?.stop();
  }
});

test("a refusal is told, and so is a service with too much to do, until it has time", () =>
  visit(async (page) => {
    // The hour until it is asked again passes when the notice has been seen.
    await page.clock.install();
    const answers = [{ status: 413 }, { status: 503, headers: { "Retry-After": "3600" } }];
    await page.route("**/v1/canonicalize*", (route) => {
      const answer = answers.shift();
      return answer ? route.fulfill(answer) : route.continue();
    });
    await paste(page, REQUEST);
    await page.locator("#notices", { hasText: "longer than the service takes" }).waitFor();
    const other = REQUEST.replace("%252e", "");
    await paste(page, other);
    await page.locator("#notices", { hasText: "too much to do" }).waitFor();
    await page.clock.fastForward(3_600_000);
    await showsDocument(page, wire(other));
    assert.equal(await page.locator("#notices p").count(), 0);
  }, { expected: [/status of (413|503)/] }));

test("an answer that comes too late is not shown", () =>
  visit(async (page) => {
    let letGo;
    const isLetGo = new Promise((resolve) => (letGo = resolve));
    let hold;
    const isHeld = new Promise((resolve) => (hold = resolve));
    const isSlow = (request) => (request.postData() ?? "").includes("slow");
    await page.route("**/v1/canonicalize*", async (route) => {
      if (isSlow(route.request())) {
        hold();
        await isLetGo;
      }
      await route.continue().catch(() => undefined);
    });
    // The page may have given it up before.
    const hasEnded = Promise.race(["requestfinished", "requestfailed"].map((event) => page.waitForEvent(event, isSlow)));
    const slow = "GET /slow HTTP/1.1\nHost: ex.com\n\n";
    const quick = "GET /quick HTTP/1.1\nHost: ex.com\n\n";
    await paste(page, slow);
    await isHeld;
    await paste(page, quick);
    await showsDocument(page, wire(quick));
    letGo();
    await hasEnded;
    // Whatever the page makes of it is made before a later answer is read and two frames are drawn.
    await page.evaluate(async () => {
      await (await fetch("/healthz")).text();
      for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    assert.equal(await documentOf(page), canon(wire(quick)));
  }));

test("typing asks when it pauses, not at every key", () =>
  visit(async (page) => {
    let asked = 0;
    page.on("request", (request) => (asked += request.url().includes("canonicalize") ? 1 : 0));
    await page.locator("#first-text").fill("");
    await showsDocument(page, "");
    const request = "GET /typed HTTP/1.1\n\n";
    // Time goes on by a tenth of a second for each key, however slow the machine is.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    asked = 0;
    for (const key of request) {
      await page.locator("#first-text").pressSequentially(key);
      await page.clock.runFor(100);
    }
    assert.equal(asked, 0);
    await page.clock.resume();
    await showsDocument(page, wire(request));
    assert.equal(asked, 1);
  }));

test("what is in a request is never markup", () =>
  visit(async (page) => {
    const request = [
      "GET /<img src=x onerror=alert(1)>?<b>=<script>alert(1)</script> HTTP/1.1",
      "Host: <b>",
      "<i>X</i>: <svg/onload=alert(1)>",
      "Cookie: <b>=1",
      "\n",
    ].join("\n");
    for (const view of ["shape", "literal"]) {
      await page.locator(`#view input[value=${view}]`).check({ force: true });
      await paste(page, request);
      await showsDocument(page, wire(request), "--view", view);
      await page.locator("#tab-json").click();
      await page.locator("#tab-tokens").click();
      await page.locator("#tokens code").first().waitFor();
      await page.locator("#tab-score").click();
      await page.locator("#score .reasons").waitFor();
      await page.locator("#tab-document").click();
      const made = await page.evaluate(() => document.querySelectorAll("main :is(img, script, svg, b:not(.details b, .headline b), i)").length);
      assert.equal(made, 0);
    }
  }));

test("it does without storage", () =>
  visit(async (page) => {
    await page.locator("#language").selectOption("es");
    assert.equal(await page.locator("#first-title").textContent(), "Petición");
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("no", "SecurityError"); } });
    });
    await page.reload();
    await page.locator(".flag").first().waitFor();
    assert.equal(await page.locator("#first-title").textContent(), "Request");
    await page.locator("#language").selectOption("es");
    assert.equal(await page.locator("#first-title").textContent(), "Petición");
  }));

test("a long request is marked all over, and stays quick enough to use", () =>
  visit(async (page) => {
    const body = `a=${"%252e'<b>".repeat(8_000)}`;
    const request = `POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await page.locator("#first input[type=file]").setInputFiles({ name: "long.http", mimeType: "text/plain", buffer: Buffer.from(request) });
    await showsDocument(page, request);
    await flag(page, "ANGLE").hover();
    assert.ok((await lit(page)).length > 1);
  }));

test("the policy lets nothing in from elsewhere", async () => {
  const { headers } = await fetch(service.origin);
  const policy = headers.get("content-security-policy");
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'"]) {
    assert.ok(policy.includes(part), policy);
  }
  assert.ok(!policy.includes("unsafe"));
});
