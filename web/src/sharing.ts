// The dialog with a link to what the page shows.

import { copy, need } from "./dom.ts";
import type { Words } from "./i18n/index.ts";
import { fragment, type Shared } from "./share.ts";

/** Opens the dialog when it is asked for; `shared` is what the link holds then. */
export function shareDialog(shared: () => Shared, words: () => Words): void {
  const dialog = need(document, "#share-dialog", HTMLDialogElement);
  const link = need(document, "#link", HTMLInputElement);
  const outcome = need(document, "#share-outcome", HTMLElement);
  need(document, "#share", HTMLElement).addEventListener("click", async () => {
    const text = await fragment(shared());
    const url = new URL(location.href);
    url.hash = text;
    link.value = url.href;
    outcome.textContent = "";
    dialog.showModal();
    link.focus();
    link.select();
  });
  need(document, "#copy-link", HTMLElement).addEventListener("click", async () => {
    outcome.textContent = (await copy(link.value)) ? words().copied : words().copyFailed;
  });
  need(document, "#share-close", HTMLElement).addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
}
