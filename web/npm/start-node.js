// Starts the library in Node: it is read from the package.

import { readFileSync } from "node:fs";

import { initSync } from "./tamiz_wasm.js";

initSync({ module: readFileSync(new URL("./tamiz_wasm_bg.wasm", import.meta.url)) });
