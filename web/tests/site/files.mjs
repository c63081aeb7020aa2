// A file server, and the vectors of the specification.

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

/** Serves the files of a folder, and nothing else. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, "http://files").pathname.slice(1) || "index.html";
    const content = /^[\w.]+$/.test(name) ? await readFile(join(folder, name)).catch(() => undefined) : undefined;
    if (content === undefined) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[name.split(".").at(-1)] ?? "application/octet-stream" }).end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

/** Reads the vectors: Python reads TOML. Requests come as Base64. */
export function vectors() {
  const script = `
import base64, json, pathlib, re, sys, tomllib
names = {"r": b"\\r", "n": b"\\n", "t": b"\\t", "\\\\": b"\\\\"}
def raw(text):
    pieces = re.split(r"\\\\(x[0-9A-Fa-f]{2}|[rnt\\\\])", text)
    escaped = lambda piece: bytes([int(piece[1:], 16)]) if piece[0] == "x" else names[piece]
    return b"".join(escaped(piece) if at % 2 else piece.encode() for at, piece in enumerate(pieces))
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.toml")):
    for vector in tomllib.loads(path.read_text("utf-8"))["vector"]:
        if "request" in vector and "document" in vector:
            kept = {key: vector[key] for key in ("name", "view", "profile", "scheme", "document", "tokens") if key in vector}
            print(json.dumps({**kept, "request": base64.b64encode(raw(vector["request"])).decode()}))
`;
  const folder = new URL("../../../spec/vectors", import.meta.url).pathname;
  const lines = execFileSync("python3", ["-c", script, folder], { maxBuffer: 256 << 20 }).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}
