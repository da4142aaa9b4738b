/** Keys of the whole page. Those of a list, a pane or a graph that has the focus are theirs. */
import { onKeys } from './dom';

/** Keys, what they do in words, and what they call; those without a call are keys of what has the focus. */
export type Keys = [keys: string, does: string, ...presses: (() => void)[]][];

/** Calls the key's action, unless the user types in a field or a dialog is open. */
export function listen(keys: Keys, escape: () => void): void {
  const actions = new Map(keys.flatMap(([names, , ...presses]) => presses.map((press, i) => [names.split(' ')[i], press])));
  onKeys(document, (key, { target }) => {
    if (document.querySelector('dialog[open]')) return false;
    if (key === 'Escape') escape();
    const press = target instanceof Element && target.matches('input, select') ? undefined : actions.get(key);
    press?.();
    return press;
  });
}
