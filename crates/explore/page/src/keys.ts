/** Keys of the whole page. Those of a list, a pane or a graph that has the focus are theirs. */

export interface Key {
  keys: string[];
  does: string;
  press?: () => void;
}

/** Calls the key's action, unless the user types in a field or a dialog is open. */
export function listen(keys: Key[], escape: () => void): void {
  const actions = new Map(keys.flatMap(({ keys, press }) => (press ? keys.map((key) => [key, press] as const) : [])));
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape') return escape();
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const press = actions.get(event.key);
    if (!press) return;
    event.preventDefault();
    press();
  });
}
