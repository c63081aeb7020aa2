// The parts of the page that are plain functions, without a browser.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** Everything that the sources export, by module. */
let bytes, evidence, diff, share, highlight, examples, places, i18n;

const source = (name) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

before(async () => {
  const names = ["bytes", "evidence", "diff", "share", "highlight", "examples", "places"];
  const contents = names.map((name) => `export * as ${name} from ${JSON.stringify(source(`${name}.ts`))};`);
  for (const name of ["en", "es", "flags.es"]) {
    contents.push(`export * as ${name.replace(".", "_")} from ${JSON.stringify(source(`i18n/${name}.ts`))};`);
  }
  const { outputFiles } = await build({
    stdin: { contents: contents.join("\n"), resolveDir: source(".") },
    bundle: true,
    format: "esm",
    write: false,
  });
  const all = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  ({ bytes, evidence, diff, share, highlight, examples, places } = all);
  i18n = { en: all.en.en, es: all.es.es, flags: all.flags_es.flagsEs };
});

const raw = (text) => new Uint8Array(Buffer.from(text, "latin1"));
const latin1 = (array) => Buffer.from(array).toString("latin1");

test("line ends are the bytes that they stand for", () => {
  const text = "POST / HTTP/1.1\nA: b\n\none\ntwo\n\nthree";
  for (const [spelling, expected] of [
    ["crlf", "POST / HTTP/1.1\r\nA: b\r\n\r\none\r\ntwo\r\n\r\nthree"],
    ["head", "POST / HTTP/1.1\r\nA: b\r\n\r\none\ntwo\n\nthree"],
    ["lf", text],
    ["escapes", text.replaceAll("\n", "")],
  ]) {
    assert.equal(latin1(bytes.read(text, spelling).bytes), expected, spelling);
  }
  assert.equal(latin1(bytes.read("\n\nGET /\n\nx\n", "head").bytes), "\r\n\r\nGET /\r\n\r\nx\n", "empty lines before it");
});

test("what is written out is the bytes that it names", () => {
  const text = String.raw`a\r\n\t\\\x00\xfF\u{202e}\q\x1\u{110000}\u{D800}é` + "\n\\";
  const expected = "a\r\n\t\\\x00\xff\xe2\x80\xae\\q\\x1\\u{110000}\\u{D800}\xc3\xa9\\";
  assert.equal(latin1(bytes.read(text, "escapes").bytes), expected);
});

test("any bytes are spelled, and read back as they were", () => {
  const kinds = [
    ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "crlf"],
    ["GET / HTTP/1.1\r\n\r\none\ntwo", "head"],
    ["GET / HTTP/1.1\nHost: a\n\n", "lf"],
    ["GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", "escapes"],
    ["GET /\x00 HTTP/1.1\r\n\r\n", "escapes"],
    ["GET /\xe9 HTTP/1.1\r\n\r\n", "escapes"],
    ["GET /\xc3\xa9 HTTP/1.1\r\n\r\n", "crlf"],
    ["GET /\xe2\x80\xae HTTP/1.1\r\n\r\n", "escapes"],
    ["\xef\xbb\xbfGET / HTTP/1.1\r\n\r\n", "escapes"],
    ["a\rb", "escapes"],
    ["\\r\\n", "crlf"],
    ["", "crlf"],
  ];
  for (const [request, expected] of kinds) {
    const { text, spelling } = bytes.spell(raw(request));
    assert.equal(spelling, expected, JSON.stringify(request));
    assert.equal(latin1(bytes.read(text, spelling).bytes), request);
  }
  assert.equal(bytes.plain(raw("\xef\xbb\xbfa\r\nb")), "\ufeffa\nb", "nothing is lost on the way to text");
  // Not UTF-8 in every way there is: stray, overlong, surrogate, too high, cut.
  for (const odd of ["\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x98", "\xff\xc3\xa9", "\xf8\x88\x80\x80\x80"]) {
    assert.equal(latin1(bytes.read(bytes.escaped(raw(odd)), "escapes").bytes), odd, JSON.stringify(odd));
  }
  let seed = 7;
  const next = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 16;
  for (let round = 0; round < 300; round++) {
    const alphabet = [0x0a, 0x0d, 0x5c, 0x78, 0x75, 0x7b, 0x41, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80, 0x00, 0xff, 0x20];
    const request = Uint8Array.from({ length: next() % 24 }, () => alphabet[next() % alphabet.length]);
    const { text, spelling } = bytes.spell(request);
    assert.ok(!text.includes("\r"), "a text box would lose it");
    assert.deepEqual(bytes.read(text, spelling).bytes, request, latin1(request));
  }
});

test("bytes and characters are matched beyond ASCII", () => {
  const reading = bytes.read("aé😀b\nc", "crlf");
  assert.equal(reading.bytes.length, 1 + 2 + 4 + 1 + 2 + 1);
  for (const [start, end, from, to] of [
    [0, 1, 0, 1],
    [1, 3, 1, 2],
    [2, 3, 1, 2], // half a character is the character
    [3, 7, 2, 4],
    [4, 5, 2, 4],
    [7, 8, 4, 5],
    [8, 10, 5, 6], // a line end is one place in the text and two bytes
    [9, 10, 5, 6],
    [10, 11, 6, 7],
    [11, 11, 7, 7],
    [3, 3, 2, 2],
    [0, 0, 0, 0],
  ]) {
    assert.deepEqual(bytes.spanOf(reading, start, end), { from, to }, `${start}-${end}`);
  }
  const escaped = bytes.read("\\x00é\\r\\n\nb", "escapes");
  assert.deepEqual(bytes.spanOf(escaped, 0, 1), { from: 0, to: 4 });
  assert.deepEqual(bytes.spanOf(escaped, 5, 6), { from: 10, to: 11 });
});

test("lost line ends are guessed from what needs them", () => {
  const head = "POST / HTTP/1.1\nHost: a\n";
  for (const [text, expected] of [
    ["GET / HTTP/1.1\nHost: a\n\n", "crlf"],
    [`${head}Content-Length: 7\n\none\ntwo`, "head"],
    [`${head}Content-Length: 8\n\none\ntwo`, "crlf"],
    [`${head}Content-Length: 7\nContent-Type: multipart/mixed\n\none\ntwo`, "head"],
    [`${head}Content-Length: 99\n\none\ntwo`, "head"],
    [`${head}\none\ntwo`, "head"],
    [`${head}Transfer-Encoding: chunked\n\n0\n\n`, "crlf"],
    [`${head}content-type:multipart/form-data; boundary=x\n\n--x\n--x--\n`, "crlf"],
  ]) {
    assert.equal(bytes.guess(text), expected, text);
  }
});

test("evidence that overlaps is cut into pieces that know all their flags", () => {
  const flag = (title, weight, ...ranges) => ({ name: title, title, family: "path", weight, places: [], evidence: ranges });
  const flags = [
    flag("A", "structural", [0, 6]),
    flag("B", "evasion", [2, 4], [4, 8]),
    flag("C", "notable", [3, 3], [10, 11]),
  ];
  assert.deepEqual(evidence.pieces(flags, bytes.read("0123456789ab", "crlf")), [
    { from: 0, to: 2, flags: [0], weight: "structural" },
    { from: 2, to: 3, flags: [0, 1], weight: "evasion" },
    { from: 3, to: 3, flags: [2], weight: "notable" },
    { from: 3, to: 4, flags: [0, 1], weight: "evasion" },
    { from: 4, to: 6, flags: [0, 1], weight: "evasion" },
    { from: 6, to: 8, flags: [1], weight: "evasion" },
    { from: 10, to: 11, flags: [2], weight: "notable" },
  ]);
  // A flag that covers the same bytes twice is still there when one of the two ends.
  assert.deepEqual(
    evidence.pieces([flag("A", "notable", [0, 2], [0, 4])], bytes.read("0123", "lf")).map(({ from, to }) => [from, to]),
    [[0, 2], [2, 4]],
  );
});

test("a flag with several places is one flag", () => {
  const raised = (place, ...evidence) => ({ name: "KW", parameter: "sql", place, family: "content", weight: "notable", evidence });
  assert.deepEqual(evidence.gather([raised("q.a", [1, 2]), raised("q.b", [1, 2], [3, 4])]), [
    { name: "KW", title: "KW:sql", family: "content", weight: "notable", places: ["q.a", "q.b"], evidence: [[1, 2], [3, 4]] },
  ]);
});

test("documents are compared line by line", () => {
  const left = "M:GET\nP:/a PLEN:2@0-15 PMAX:1@0-15\nFLAGS:[]\nH:host=a\nHCNT:1 HLEN:5@0-15\n";
  const right = "M:GET\nP:/a PLEN:2@0-15 PMAX:1@0-15 [DOTCUR]\nFLAGS:[DOTCUR]\nH:accept=*/*\nH:host=a\nHCNT:1 HLEN:6@0-15\n";
  assert.deepEqual(
    diff.rows(left, right).map(({ kind, left, right }) => [kind, left?.slice(0, 3), right?.slice(0, 3)]),
    [
      ["same", "M:G", "M:G"],
      ["changed", "P:/", "P:/"],
      ["changed", "FLA", "FLA"],
      ["right", undefined, "H:a"],
      ["same", "H:h", "H:h"],
      ["changed", "HCN", "HCN"],
    ],
  );
  const others = diff.rows("H:accept=*/*\n", "H:host=a\n").map(({ kind }) => kind);
  assert.deepEqual(others, ["left", "right"], "lines of different kinds are not set against each other");
  const { left: cut, right: whole } = diff.parts("P:/a x", "P:/a x [DOTCUR]");
  assert.deepEqual(cut, [{ text: "P:/a x", isShared: true }]);
  assert.deepEqual(whole, [{ text: "P:/a x", isShared: true }, { text: " [DOTCUR]", isShared: false }]);
});

test("every way from one list to another is a way", () => {
  const lists = [[], ["a"], ["a", "b", "c"], ["b", "c", "d", "a"], ["c"], ["a", "x", "b", "y", "c"], ["x", "x", "x"]];
  const large = (n) => Array.from({ length: 2500 }, (_, at) => `${n}${at}`);
  for (const a of [...lists, large("a")]) {
    for (const b of [...lists, large("b")]) {
      const steps = diff.steps(a, b);
      assert.deepEqual(steps.filter(({ kind }) => kind !== "right").map((step) => a[step.a]), a);
      assert.deepEqual(steps.filter(({ kind }) => kind !== "left").map((step) => b[step.b]), b);
      assert.ok(steps.every((step) => step.kind !== "same" || a[step.a] === b[step.b]));
    }
  }
  assert.equal(diff.steps(["a", "b", "c"], ["b", "c", "d", "a"]).filter(({ kind }) => kind === "same").length, 2);
});

test("the verdict tells another spelling from another request", () => {
  const document = "M:GET\nP:/a\nFLAGS:[]\nH:host=a\nHCNT:1 HLEN:5@0-15\n";
  assert.equal(diff.verdict(document, document), "same");
  const odd = document.replace("P:/a", "P:/a [DOTCUR] [KW:file]").replace("[]", "[DOTCUR KW:file]").replace("HLEN:5", "HLEN:6");
  assert.equal(diff.verdict(document, odd), "spelling");
  assert.equal(diff.verdict(document, odd.replace("H:host", "FAM:path=1\nH:host")), "spelling");
  assert.equal(diff.verdict(document, document.replace("P:/a", "P:/b")), "different");
  assert.equal(diff.verdict(document, document.replace("HCNT:1", "HCNT:2")), "different");
});

test("a link holds the very bytes", async () => {
  const first = raw("GET /\x00\xff HTTP/1.1\r\n\r\n");
  const second = raw(`GET /${"a".repeat(2000)} HTTP/1.1\r\n\r\n`);
  const text = await share.fragment({ first, second, view: "literal", profile: "full" });
  assert.match(text, /^[\w=&-]+$/);
  assert.ok(text.length < 300, "what repeats is deflated");
  assert.deepEqual(await share.parseFragment(`#${text}`), { first, second, view: "literal", profile: "full" });
  assert.equal(await share.parseFragment(""), undefined);
  assert.equal(await share.parseFragment("#output"), undefined);
  for (const broken of ["#a=", "#a=x", "#a=dAAAA", "#a=p***", "#a=d"]) {
    await assert.rejects(() => share.parseFragment(broken), undefined, broken);
  }
});

test("a short link cannot be an endless request", async () => {
  const first = new Uint8Array(5 << 20);
  const text = await share.fragment({ first, view: "shape", profile: "core" });
  assert.ok(text.length < 20_000);
  await assert.rejects(() => share.parseFragment(text), /too long/);
});

test("colours change no letter", () => {
  const document =
    'M:GET [CLTE]\nU:http://a/?b=<num:1>\nQ:1 KEYS:b[] [QARRAY:b[]]\nQK:b[]=<num:1>\nFAM:query=1\nP:/a PLEN:2@0-15 PMAX:1@0-15 [KW:sql] [DOTDOT]\nFLAGS:[CLTE DOTDOT KW:sql QARRAY:b[]]\nH:a=x [y] z\nBK:k=<SECRET:alpha:3>|<lower:1>\nHCNT:1 HLEN:5@0-15\n';
  const tokens = highlight.documentTokens(document);
  assert.equal(tokens.map((line) => line.map(({ text }) => text).join("")).join("\n") + "\n", document);
  const flags = tokens.flat().flatMap(({ flag }) => flag ?? []);
  assert.deepEqual(flags, ["CLTE", "QARRAY:b[]", "KW:sql", "DOTDOT", "CLTE", "DOTDOT", "KW:sql", "QARRAY:b[]"]);
  const json = highlight.prettyJson({ a: [[1, 2]], "b\"": "[\n1,\n2\n]", c: [true, null, -1.5] });
  assert.equal(highlight.jsonTokens(json).map(({ text }) => text).join(""), json);
  assert.deepEqual(JSON.parse(json), { a: [[1, 2]], "b\"": "[\n1,\n2\n]", c: [true, null, -1.5] });
  assert.match(json, /\[1, 2\]/);
});

test("examples are whole, their lengths right, and told in both languages", () => {
  const ids = examples.EXAMPLES.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { id, title, first, second } of examples.EXAMPLES) {
    assert.ok(i18n.en[title] && i18n.es[title], id);
    for (const request of [first, second ?? first]) {
      assert.ok(latin1(request).includes("\r\n\r\n"), id);
      assert.match(latin1(request), /^(GET|POST) /, id);
      const length = /^Content-Length: (\d+)/m.exec(latin1(request))?.[1] ?? "0";
      assert.equal(request.length - latin1(request).indexOf("\r\n\r\n") - 4, Number(length), id);
    }
  }
});

test("every text is used, in both languages, and none is left out", async () => {
  const { readFile, readdir } = await import("node:fs/promises");
  assert.deepEqual(Object.keys(i18n.es).sort(), Object.keys(i18n.en).sort());
  const names = (await readdir(source("."))).filter((name) => /\.(ts|html)$/.test(name));
  names.push("i18n/index.ts");
  const code = (await Promise.all(names.map((name) => readFile(source(name), "utf8")))).join("\n");
  for (const key of Object.keys(i18n.en)) {
    // Keys with a dot are put together from a family's name and a value.
    const group = key.includes(".") ? `${key.split(".")[0]}.` : undefined;
    const isUsed = code.includes(`"${key}"`) || code.includes(`.${key}`) || (group && code.includes("`" + group + "${"));
    assert.ok(isUsed, `${key} is used nowhere`);
  }
  for (const [, key] of code.matchAll(/data-t(?:-[\w-]+)?="([^"]+)"/g)) assert.ok(key in i18n.en, `there is no text ${key}`);
});

test("the dark colours are the same, whoever chose them", async () => {
  const css = await readFile(source("page.css"), "utf8");
  const colours = (selector) => {
    const block = css.slice(css.indexOf(selector)).match(/\{([^}]*)\}/)[1];
    return [...block.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name, value]) => `${name} ${value}`);
  };
  const [system, reader] = [colours(':root:not([data-theme="light"])'), colours(':root[data-theme="dark"]')];
  assert.ok(system.length > 20);
  assert.deepEqual(system, reader);
});

test("places are told in words, in every language", () => {
  for (const words of [i18n.en, i18n.es]) {
    const told = ["m", "u", "p", "q", "q.id", "h", "h.host", "b", "b.user.name"].map((place) => places.placeInWords(place, words));
    assert.ok(told.every((text) => text.length > 5) && new Set(told).size === told.length, told.join("; "));
    assert.ok(places.placeInWords("b.user.name", words).includes("user.name"));
    assert.equal(places.placeInWords("", words), "");
  }
  for (const [token, place] of [["q.id", "q.id"], ["q.id=num", "q.id"], ["q.id~'", "q.id"], ["f.q.id=QUOTE", "q.id"], ["p=/a", "p"], ["f.p=DOTDOT", "p"], ["m=GET", "m"], ["hcnt=3", ""], ["f=QUOTE", ""]]) {
    assert.equal(places.placeOf(token), place, token);
  }
});
