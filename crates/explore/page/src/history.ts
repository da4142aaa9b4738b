/** The history of a line: the forms that it takes through all passes. */
import { button, counted, el, on, tools } from './dom';
import { paintLine } from './highlight';
import type { Form } from './links';

/** Most forms that are listed, and most lines of each. */
const MOST = 120;
const LINES = 4;

export function historyPanel(go: (step: number, line: number | undefined) => void, close: () => void) {
  const list = el('ol', { tabindex: 0, 'aria-label': 'Forms of the line' });
  const detail = el('span.detail');
  const header = el('header', {}, el('h2', {}, 'History'), detail, tools(button('history', '×', 'Hide the history (h)', close)));
  const root = el('section.history', { 'aria-label': 'History of the line' }, header, list);

  function item(form: Form, until: number, name: string, current: number): HTMLElement {
    const { step, lines, doc, event } = form;
    const open = el('button.step', { type: 'button' }, `${step} ${name}`);
    on(open, 'click', () => go(step, lines[0]));
    const text = el('div.form');
    for (const n of lines.slice(0, LINES)) {
      const code = el('code');
      paintLine(code, doc.line(n).trim().slice(0, 400), doc.language, []);
      text.append(el('span.at', {}, `${n}`), code);
    }
    const more = lines.length - LINES;
    if (more > 0) text.append(el('span.more', {}, `and ${counted(more, 'line')} more`));
    const lasts = until - step > 1 ? `, kept by ${until - step - 1}` : '';
    const isCurrent = step <= current && current < until;
    return el(
      'li',
      { 'data-step': step, 'data-event': event, 'aria-current': isCurrent ? 'step' : undefined },
      open,
      el('span.event', {}, event + lasts),
      text,
    );
  }

  return {
    root,
    /** `origins` says in words where the line comes from. */
    show(forms: Form[], names: string[], current: number, origins: string): void {
      detail.textContent = `${origins} · ${counted(forms.length, 'form')} in ${counted(names.length, 'version')}`;
      const items = forms
        .slice(0, MOST)
        .map((form, i) => item(form, forms[i + 1]?.step ?? names.length, names[form.step] ?? '', current));
      if (!items.length) items.push(el('li', {}, 'No version has a line of this origin.'));
      list.replaceChildren(...items);
      const at = items.find((item) => item.ariaCurrent);
      if (at && list.clientHeight) list.scrollTop = at.offsetTop - list.offsetTop - 40;
    },
  };
}
