/** Keys of the whole page. Those of a list, a pane or a graph that has the focus are theirs. */
import { onKeys } from './dom';

/** Keys, what they do in words, and what they call; those without a call are keys of what has the focus. */
export type Keys = [keys: string, does: string, ...presses: (() => void)[]][];

/** The actions that keys call. */
export interface Actions {
  nextPass(by: number): void;
  toChange(by: number): void;
  toLinked(by: number): void;
  nextRecord(by: number): void;
  view(index: number): void;
  toggleChangedOnly(): void;
  toggleFolds(): void;
  toggleHistory(): void;
  togglePin(): void;
  toggleTheme(): void;
  nextLayout(): void;
  goToLine(): void;
  focusSearch(): void;
  focusPasses(): void;
  help(): void;
}

/** All keys, in the order in which the help lists them: a call for each key. */
export function keysOf(actions: Actions): Keys {
  return [
    ['j', 'next pass', () => actions.nextPass(1)],
    ['k', 'previous pass', () => actions.nextPass(-1)],
    ['n', 'next change, in this pass or a later one', () => actions.toChange(1)],
    ['p', 'previous change', () => actions.toChange(-1)],
    ['c', 'only passes that changed something', actions.toggleChangedOnly],
    ['f', 'fold passes that ran inside others', actions.toggleFolds],
    ['← →', 'in the list: fold and unfold one pass'],
    ['↑ ↓ PgUp PgDn Home End', 'in the list: passes; in a text: lines, with their relatives; in a graph: nodes'],
    [']', 'next linked line', () => actions.toLinked(1)],
    ['[', 'previous linked line', () => actions.toLinked(-1)],
    ['g', 'go to a line', actions.goToLine],
    ['/', 'search all versions; Enter and Shift+Enter go through the hits', actions.focusSearch],
    ['d', 'which panes are shown', actions.nextLayout],
    ['b', 'compare with this version from now on, or with the one before again', actions.togglePin],
    ['h', 'history of the line', actions.toggleHistory],
    ['1 2 3', 'text, graph, schedules', ...[0, 1, 2].map((view) => () => actions.view(view))],
    ['+ - 0', 'in a graph: zoom; Enter opens a namespace, Backspace leaves it'],
    [', .', 'previous and next record of a schedule', () => actions.nextRecord(-1), () => actions.nextRecord(1)],
    ['l', 'focus the list of passes', actions.focusPasses],
    ['t', 'light or dark', actions.toggleTheme],
    ['?', 'this help', actions.help],
    ['Esc', 'close, clear the search, then the marks'],
  ];
}

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
