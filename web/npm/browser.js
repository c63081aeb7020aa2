// For browsers and bundlers. Modules are run in the order of their imports: the library is started before it is used.

import "./start-browser.js";

export * from "./tamiz.js";
