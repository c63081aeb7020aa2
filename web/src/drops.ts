// Files that are dropped on the page.

/** Hands over a file that is dropped anywhere; `curtain` is shown while one is held over the page. */
export function listenForDrops(curtain: HTMLElement, take: (file: File, event: DragEvent) => void): void {
  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    curtain.hidden = false;
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) curtain.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    curtain.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    take(file, event);
  });
}
