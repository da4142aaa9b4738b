/** Keys of the whole page. Those of a list, a pane or a graph that has the focus are theirs. */

export interface Key {
  keys: string[];
  does: string;
  press?: () => void;
}

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

/** All keys, in the order in which the help lists them; those without words are listed with the ones before. */
export function keysOf(actions: Actions): Key[] {
  return [
    { keys: ['j'], does: 'next pass', press: () => actions.nextPass(1) },
    { keys: ['k'], does: 'previous pass', press: () => actions.nextPass(-1) },
    { keys: ['n'], does: 'next change, in this pass or a later one', press: () => actions.toChange(1) },
    { keys: ['p'], does: 'previous change', press: () => actions.toChange(-1) },
    { keys: ['c'], does: 'only passes that changed something', press: () => actions.toggleChangedOnly() },
    { keys: ['f'], does: 'fold passes that ran inside others', press: () => actions.toggleFolds() },
    { keys: ['←', '→'], does: 'in the list: fold and unfold one pass' },
    { keys: ['↑', '↓', 'PgUp', 'PgDn', 'Home', 'End'], does: 'in the list: passes; in a text: lines, with their relatives; in a graph: nodes' },
    { keys: [']'], does: 'next linked line', press: () => actions.toLinked(1) },
    { keys: ['['], does: 'previous linked line', press: () => actions.toLinked(-1) },
    { keys: ['g'], does: 'go to a line', press: () => actions.goToLine() },
    { keys: ['/'], does: 'search all versions; Enter and Shift+Enter go through the hits', press: () => actions.focusSearch() },
    { keys: ['d'], does: 'which panes are shown', press: () => actions.nextLayout() },
    { keys: ['b'], does: 'compare with this version from now on, or with the one before again', press: () => actions.togglePin() },
    { keys: ['h'], does: 'history of the line', press: () => actions.toggleHistory() },
    { keys: ['1', '2', '3'], does: 'text, graph, schedules' },
    { keys: ['1'], does: '', press: () => actions.view(0) },
    { keys: ['2'], does: '', press: () => actions.view(1) },
    { keys: ['3'], does: '', press: () => actions.view(2) },
    { keys: ['+', '-', '0'], does: 'in a graph: zoom; Enter opens a namespace, Backspace leaves it' },
    { keys: [',', '.'], does: 'previous and next record of a schedule' },
    { keys: [','], does: '', press: () => actions.nextRecord(-1) },
    { keys: ['.'], does: '', press: () => actions.nextRecord(1) },
    { keys: ['l'], does: 'focus the list of passes', press: () => actions.focusPasses() },
    { keys: ['t'], does: 'light or dark', press: () => actions.toggleTheme() },
    { keys: ['?'], does: 'this help', press: () => actions.help() },
    { keys: ['Esc'], does: 'close, clear the search, then the marks' },
  ];
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
