/** Dialogs: the keys of the page, and the number of a line to go to. */
import { button, el, on } from './dom';
import type { Keys } from './keys';

const SIGNS: [string, string, string][] = [
  ['+', 'added', 'added by the pass'],
  ['−', 'removed', 'removed; after the pass, the line that follows the gap'],
  ['~', 'edited', 'edited, with the words that changed'],
  ['⇅', 'moved', 'moved from elsewhere'],
  ['≈', 'renamed', 'only names changed'],
  ['●', 'linked', 'comes from the same place as the chosen line'],
];

/** Shows the keys and the signs of marks, closed by Escape or the button. */
export function helpDialog(keys: Keys, notes: string[]): HTMLDialogElement {
  const table = (rows: { head: (Node | string)[]; kind?: string; does: string }[]) => {
    const made = rows.map(({ head, kind, does }) =>
      el('tr', {}, el('th', { scope: 'row', class: kind }, ...head), el('td', {}, does)),
    );
    return el('table', {}, el('tbody', {}, ...made));
  };
  const ofKeys = table(
    keys.map(([names, does]) => ({ head: names.split(' ').flatMap((key, i) => [i ? ' ' : '', el('kbd', {}, key)]), does })),
  );
  const ofSigns = table(SIGNS.map(([sign, kind, does]) => ({ head: [sign], kind, does })));
  const close = button('close-help', 'Close', 'Close (Esc)', () => dialog.close());
  const dialog = el(
    'dialog.help',
    { 'aria-labelledby': 'help-title' },
    el('header', {}, el('h2', { id: 'help-title' }, 'Keys and signs'), close),
    el('div.columns', {}, ofKeys, ofSigns),
  );
  if (notes.length) dialog.append(el('h3', {}, 'Notes about the input'), el('ul', {}, ...notes.map((note) => el('li', {}, note))));
  return dialog;
}

/** Asks for the number of a line. */
export function lineDialog(go: (line: number) => void): HTMLDialogElement {
  const input = el('input', { inputmode: 'numeric', pattern: '[0-9]+', autocomplete: 'off' });
  const form = el('form', { method: 'dialog' }, el('label', {}, 'Go to line ', input));
  on(form, 'submit', () => {
    const line = Number(input.value);
    input.value = '';
    if (Number.isSafeInteger(line) && line > 0) go(line);
  });
  return el('dialog.go', { 'aria-label': 'Go to line' }, form);
}
