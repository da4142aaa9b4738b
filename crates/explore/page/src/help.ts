/** Dialogs: the keys of the page, and the number of a line to go to. */
import { el } from './dom';
import type { Key } from './keys';

/** Shows the keys and the signs of marks, closed by Escape or the button. */
export function helpDialog(keys: Key[], notes: string[]): HTMLDialogElement {
  const rows = keys.filter(({ does }) => does).map(({ keys, does }) => {
    const signs = keys.flatMap((key, i) => (i ? [' ', el('kbd', {}, key)] : [el('kbd', {}, key)]));
    return el('tr', {}, el('th', { scope: 'row' }, ...signs), el('td', {}, does));
  });
  const signs: [string, string, string][] = [
    ['+', 'added', 'added by the pass'],
    ['−', 'removed', 'removed; after the pass, the line that follows the gap'],
    ['~', 'edited', 'edited, with the words that changed'],
    ['⇅', 'moved', 'moved from elsewhere'],
    ['≈', 'renamed', 'only names changed'],
    ['●', 'linked', 'comes from the same place as the chosen line'],
  ];
  const legend = signs.map(([sign, kind, does]) =>
    el('tr', {}, el('th', { scope: 'row', class: kind }, sign), el('td', {}, does)),
  );
  const close = el('button', { type: 'button', 'data-action': 'close-help' }, 'Close');
  const dialog = el(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    el('header', {}, el('h2', { id: 'help-title' }, 'Keys and signs'), close),
    el('div', { class: 'columns' }, el('table', {}, el('tbody', {}, ...rows)), el('table', {}, el('tbody', {}, ...legend))),
  );
  if (notes.length) dialog.append(el('h3', {}, 'Notes about the input'), el('ul', {}, ...notes.map((note) => el('li', {}, note))));
  close.addEventListener('click', () => dialog.close());
  return dialog;
}

/** Asks for the number of a line. */
export function lineDialog(go: (line: number) => void): HTMLDialogElement {
  const input = el('input', { type: 'text', inputmode: 'numeric', pattern: '[0-9]+', id: 'go-line', autocomplete: 'off' });
  const form = el('form', { method: 'dialog' }, el('label', { for: 'go-line' }, 'Go to line '), input);
  const dialog = el('dialog', { class: 'go', 'aria-label': 'Go to line' }, form);
  form.addEventListener('submit', () => {
    const line = Number(input.value);
    input.value = '';
    if (Number.isSafeInteger(line) && line > 0) go(line);
  });
  return dialog;
}
