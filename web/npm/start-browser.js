// Starts the library in browsers and bundles: it is loaded from beside this file.

import init from "./tamiz_wasm.js";

await init({ module_or_path: new URL("./tamiz_wasm_bg.wasm", import.meta.url) });
