/** The history of a line: the forms that it takes through all passes. */
import { button, counted, el } from './dom';
import { paintLine } from './highlight';
import type { Form } from './links';

/** Most forms that are listed, and most lines of each. */
const MOST = 120;
const LINES = 4;

export class HistoryPanel {
  readonly root: HTMLElement;
  private readonly list = el('ol', { tabindex: 0, 'aria-label': 'Forms of the line' });
  private readonly detail = el('span', { class: 'detail' });

  constructor(
    private readonly go: (step: number, line: number | undefined) => void,
    close: () => void,
  ) {
    const tools = el('span', { class: 'tools' }, button('history', '×', 'Hide the history (h)', close));
    this.root = el(
      'section',
      { class: 'history', 'aria-label': 'History of the line' },
      el('header', {}, el('h2', {}, 'History'), this.detail, tools),
      this.list,
    );
  }

  /** `origins` says in words where the line comes from. */
  show(forms: Form[], names: string[], current: number, origins: string): void {
    const through = counted(names.length, 'version');
    this.detail.textContent = [origins, `${counted(forms.length, 'form')} in ${through}`].filter((s) => s).join(' · ');
    const items = forms.slice(0, MOST).map((form, i) => {
      const until = forms[i + 1]?.step ?? names.length;
      const first = form.lines[0];
      const name = el('button', { type: 'button', class: 'step' }, `${form.step} ${names[form.step] ?? ''}`);
      name.addEventListener('click', () => this.go(form.step, first));
      const text = el('div', { class: 'form' });
      for (const n of form.lines.slice(0, LINES)) {
        const code = el('code');
        paintLine(code, form.doc.line(n).trim().slice(0, 400), form.doc.language, []);
        text.append(el('span', { class: 'at' }, String(n)), code);
      }
      if (form.lines.length > LINES) text.append(el('span', { class: 'more' }, `and ${counted(form.lines.length - LINES, 'line')} more`));
      const isCurrent = form.step <= current && current < until;
      const lasts = until - form.step > 1 ? `, kept by ${until - form.step - 1}` : '';
      const event = el('span', { class: 'event' }, form.event + lasts);
      return el('li', { 'data-step': form.step, 'data-event': form.event, 'aria-current': isCurrent ? 'step' : undefined }, name, event, text);
    });
    if (!items.length) items.push(el('li', {}, 'No version has a line of this origin.'));
    this.list.replaceChildren(...items);
    const at = items.find((item) => item.hasAttribute('aria-current'));
    if (at && this.list.clientHeight) this.list.scrollTop = at.offsetTop - this.list.offsetTop - 40;
  }
}
