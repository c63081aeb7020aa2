// A request is bytes, a text box holds text. Here one becomes the other, exactly, and places in both are matched.
//
// A text box knows one line end, LF. Three spellings say which bytes it stands for; the fourth writes everything out in
// the notation of `tamiz explain` and of the vectors, so that any bytes can be shown, edited and kept:
//
//   crlf     every line end is CR LF
//   head     CR LF up to the blank line that ends the headers, LF in the body
//   lf       every line end is LF
//   escapes  `\r`, `\n`, `\t`, `\\`, `\xHH` and `\u{…}` are what they name; a line end of the box is layout and no byte

export const SPELLINGS = ["crlf", "head", "lf", "escapes"] as const;

/** Which bytes a text stands for. */
export type Spelling = (typeof SPELLINGS)[number];

export type Bytes = Uint8Array<ArrayBuffer>;

/** A text read as bytes, and where each of its characters went. */
export interface Reading {
  readonly bytes: Bytes;
  /** The byte at which each character begins, and behind the last of them the end. */
  readonly byteAt: Uint32Array;
  /** The place of each character in the text, in UTF-16 units, in the same way. */
  readonly textAt: Uint32Array;
}

/** A part of a text, from one UTF-16 unit up to another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Reads a text as bytes. */
export function read(text: string, spelling: Spelling): Reading {
  // No UTF-16 unit becomes more than three bytes: three of UTF-8, or two of a line end.
  const bytes = new Uint8Array(text.length * 3);
  const byteAt = new Uint32Array(text.length + 1);
  const textAt = new Uint32Array(text.length + 1);
  const crlfUntil = spelling === "crlf" ? text.length : spelling === "head" ? endOfHead(text) : 0;
  let length = 0;
  let count = 0;
  const put = (part: readonly number[]) => {
    for (const byte of part) bytes[length++] = byte;
  };
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    if (spelling === "escapes" && code === LF) {
      at += 1;
      continue;
    }
    byteAt[count] = length;
    textAt[count] = at;
    count += 1;
    const escape = spelling === "escapes" && code === BACKSLASH ? escapeAt(text, at) : undefined;
    if (escape) {
      put(escape.bytes);
      at = escape.end;
    } else {
      put(code === LF && at < crlfUntil ? [CR, LF] : utf8(code));
      at += code > 0xffff ? 2 : 1;
    }
  }
  byteAt[count] = length;
  textAt[count] = text.length;
  return { bytes: bytes.slice(0, length), byteAt: byteAt.slice(0, count + 1), textAt: textAt.slice(0, count + 1) };
}

/** The text behind the bytes from `start` up to `end`: whole characters, none for an empty range. */
export function spanOf(reading: Reading, start: number, end: number): Span {
  const { byteAt, textAt } = reading;
  const first = lastAtMost(byteAt, start);
  const from = textAt[first] ?? 0;
  if (end <= start) return { from, to: from };
  const last = lastAtMost(byteAt, end - 1);
  return { from, to: textAt[Math.min(last + 1, textAt.length - 1)] ?? from };
}

/** The simplest spelling that gives exactly these bytes and hides none of them, and the text in it. */
export function spell(bytes: Bytes): { text: string; spelling: Spelling } {
  const text = plain(bytes);
  if (text !== undefined && !HIDDEN.test(text)) {
    const spelling = (["crlf", "head", "lf"] as const).find((spelling) => same(read(text, spelling).bytes, bytes));
    if (spelling) return { text, spelling };
  }
  return { text: escaped(bytes), spelling: "escapes" };
}

/** Bytes as a text with LF for its line ends; `undefined` where they are no such text. */
export function plain(bytes: Bytes): string | undefined {
  try {
    // A byte order mark is a part of the request like any other.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replaceAll("\r\n", "\n");
    return text.includes("\r") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Bytes written out: a line of text for each line, everything that is not plain ink by its name. */
export function escaped(bytes: Bytes): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    text += character ? glyph(character) : `\\x${hex(bytes[at] ?? 0)}`;
    if (character === "\n" && at + 1 < bytes.length) text += "\n";
    at += character ? utf8(character.codePointAt(0) ?? 0).length : 1;
  }
  return text;
}

/**
 * Which line ends a text had that lost them on its way here. The length that it gives decides; without one, chunks and
 * multipart bodies need CR LF, and other bodies mostly come from where LF is usual.
 */
export function guess(text: string): Spelling {
  const head = text.slice(0, endOfHead(text));
  const body = text.slice(head.length);
  if (!body.includes("\n")) return "crlf";
  const length = /^content-length:[ \t]*([0-9]+)[ \t]*$/im.exec(head)?.[1];
  if (length !== undefined) {
    const isOf = (spelling: Spelling) => read(body, spelling).bytes.length === Number(length);
    if (isOf("lf")) return "head";
    if (isOf("crlf")) return "crlf";
  }
  return /^(transfer-encoding[ \t]*:|content-type:[ \t]*multipart\/)/im.test(head) ? "crlf" : "head";
}

/** Bytes in one line, for a label: everything escaped, and the middle left out where it is long. */
export function excerpt(bytes: Bytes, start: number, end: number, limit = 48): string {
  const text = escaped(bytes.slice(start, Math.min(end, start + limit * 4))).replaceAll("\n", "");
  const characters = [...text];
  return characters.length > limit || end > start + limit * 4 ? `${characters.slice(0, limit).join("")}…` : text;
}

const LF = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;

/** What a reader cannot see, or cannot tell from something else. */
const HIDDEN = /(?![\n\t ])[\p{C}\p{Z}\p{DI}]/u;

/** Where the head ends: behind the first empty line that is not at the very start. */
function endOfHead(text: string): number {
  const begin = /[^\n]/.exec(text)?.index ?? 0;
  const blank = text.indexOf("\n\n", begin);
  return blank < 0 ? text.length : blank + 2;
}

/** The escape that begins at a backslash, if one does. */
function escapeAt(text: string, at: number): { bytes: readonly number[]; end: number } | undefined {
  const letter = text[at + 1] ?? "";
  const single = { r: CR, n: LF, t: 0x09, "\\": BACKSLASH }[letter];
  if (single !== undefined) return { bytes: [single], end: at + 2 };
  const numbered = /^\\(?:x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\})/i.exec(text.slice(at, at + 10));
  if (!numbered) return undefined;
  const end = at + numbered[0].length;
  if (numbered[1]) return { bytes: [Number.parseInt(numbered[1], 16)], end };
  const scalar = Number.parseInt(numbered[2] ?? "", 16);
  return scalar > 0x10ffff || isSurrogate(scalar) ? undefined : { bytes: utf8(scalar), end };
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** The bytes of a character; half of a surrogate pair is the replacement character, as everywhere on the web. */
function utf8(code: number): number[] {
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 0x3f)];
  if (isSurrogate(code)) return utf8(0xfffd);
  if (code < 0x10000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
}

/** The character whose UTF-8 begins here, if one does. */
function characterAt(bytes: Bytes, at: number): string | undefined {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return String.fromCharCode(first);
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  let code = first & (0x7f >> length);
  for (let more = 1; more < length; more++) code = (code << 6) | ((bytes[at + more] ?? 0) & 0x3f);
  // What is not written back as it came was no UTF-8: a stray or missing byte, an overlong form, a surrogate.
  const isWhole = code <= 0x10ffff && utf8(code).every((byte, more) => byte === bytes[at + more]);
  return isWhole && utf8(code).length === length ? String.fromCodePoint(code) : undefined;
}

/** A character as `escaped` shows it. */
function glyph(character: string): string {
  const named = { "\r": "\\r", "\n": "\\n", "\t": "\\t", "\\": "\\\\" }[character];
  if (named !== undefined) return named;
  if (!HIDDEN.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? `\\x${hex(code)}` : `\\u{${code.toString(16).toUpperCase()}}`;
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}

function same(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** The last place in a rising list whose value is at most this one; 0 if there is none. */
function lastAtMost(rising: Uint32Array, value: number): number {
  let low = 0;
  let high = rising.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rising[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
