// Tabs by the book (WAI-ARIA): one of them is in the tab order, arrow keys go round, what is chosen is shown.

/** Makes tabs of the elements below `list`; `chosen` hears of each choice. */
export function tabs(list: HTMLElement, chosen: (tab: HTMLElement) => void): void {
  const all = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
  const choose = (tab: HTMLElement) => {
    for (const other of all) {
      const isChosen = other === tab;
      other.setAttribute("aria-selected", String(isChosen));
      other.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
      if (panel) panel.hidden = !isChosen;
    }
    chosen(tab);
  };
  list.addEventListener("click", ({ target }) => {
    const tab = target instanceof Element ? target.closest<HTMLElement>("[role=tab]") : null;
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    const tab = to === undefined || at < 0 ? undefined : all[to % all.length];
    if (!tab) return;
    event.preventDefault();
    tab.focus();
    choose(tab);
  });
}
