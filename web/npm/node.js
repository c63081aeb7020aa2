// For Node. Modules are run in the order of their imports: the library is started before it is used.

import "./start-node.js";

export * from "./tamiz.js";
