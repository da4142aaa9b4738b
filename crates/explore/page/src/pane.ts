/** A text with numbered lines: its rows, the line of the caret, marks of changes, of relatives and of hits. */
import type { Mark } from './diff';
import { changedWords } from './diff';
import type { Doc } from './documents';
import { cached } from './documents';
import { counted, el, set } from './dom';
import { paintLine } from './highlight';
import type { Span } from './highlight';
import { Rows } from './lines';
import { Ruler } from './ruler';
import { hitLines, hitRanges } from './search';

/** Height of a row in pixels, as in the style. */
export const ROW = 18;
/** Longest piece of a line that is put in the page. */
const LONGEST = 1_000_000;

/** Marks of the lines of a pane. */
export interface Marks {
  changes: Map<number, Mark>;
  /** Text that edited lines are compared with. */
  other: Doc | undefined;
  linked: number[];
  caret: number | undefined;
  query: string;
}

export const NO_MARKS: Marks = { changes: new Map(), other: undefined, linked: [], caret: undefined, query: '' };

export class Pane {
  readonly root: HTMLElement;
  readonly header = el('header');
  readonly scroller = el('div', { class: 'scroller', tabindex: 0 });
  readonly rows: Rows;
  readonly ruler: Ruler;
  doc: Doc | undefined;
  marks: Marks = NO_MARKS;
  /** Lines with a hit of the search. */
  hits: number[] = [];
  private readonly title = el('h2');
  private readonly detail = el('span', { class: 'detail' });
  private readonly empty = el('p', { class: 'empty' });
  private linked = new Set<number>();

  /**
   * `hook` names the pane for scripts, e.g. `['data-pane', 'after']`. `pick` is called when a line is clicked or reached by
   * keys; `scrolled` after each change of what is in sight.
   */
  constructor(
    private readonly hook: [string, string],
    private readonly label: string,
    pick: (line: number) => void,
    private readonly scrolled: (byUser: boolean) => void = () => {},
  ) {
    this.title.textContent = label;
    this.header.append(this.title, this.detail);
    const jump = (place: number) => {
      this.rows.scrollTo(place * (this.doc?.count ?? 0) - this.rows.visible / 2);
      this.scrolled(true);
    };
    this.ruler = new Ruler(jump, () => this.rule());
    const body = el('div', { class: 'body' }, this.scroller, this.ruler.root as unknown as Node, this.empty);
    this.root = el('section', { class: 'pane', [hook[0]]: hook[1], 'aria-label': label }, this.header, body);
    this.rows = new Rows(this.scroller, ROW, (index) => this.row(index + 1), (byBar) => this.painted(byBar));
    this.scroller.addEventListener('click', (event) => {
      const row = event.target instanceof Element ? event.target.closest('[data-line]') : null;
      const isSelecting = !(getSelection()?.isCollapsed ?? true);
      if (row && !isSelecting) pick(Number(row.getAttribute('data-line')));
    });
    for (const kind of ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const) {
      this.scroller.addEventListener(kind, () => (this.isLed = true), { passive: true });
    }
    this.scroller.addEventListener('keydown', (event) => {
      const line = this.lineOfKey(event);
      if (line === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.rows.reveal(line - 1);
      this.scrolled(true);
      pick(line);
    });
  }

  /** `true` while the user scrolls this pane, `false` once another one does. */
  isLed = false;

  private painted(byBar: boolean): void {
    this.ruler.look(this.rows.top, this.rows.visible);
    this.scrolled(byBar && this.isLed);
  }

  private lineOfKey(event: KeyboardEvent): number | undefined {
    const count = this.doc?.count ?? 0;
    const at = this.marks.caret ?? Math.ceil(this.rows.top) + 1;
    const page = Math.max(1, Math.floor(this.rows.visible) - 2);
    const line = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 1,
      End: count,
      Enter: at,
      ' ': at,
    }[event.key];
    return line === undefined || count === 0 ? undefined : Math.max(1, Math.min(count, line));
  }

  /** Shows a text; `message` stands in its place if there is none. */
  show(doc: Doc | undefined, name: string, message = ''): void {
    this.title.textContent = this.label;
    this.detail.textContent = name;
    this.detail.title = name;
    this.empty.textContent = doc ? '' : message;
    this.empty.hidden = !!doc;
    this.root.setAttribute('data-lines', String(doc?.count ?? 0));
    set(this.scroller, 'role', doc ? 'listbox' : undefined);
    set(this.scroller, 'aria-label', doc ? `${this.label}: ${name}, ${counted(doc.count, 'line')}` : undefined);
    if (doc === this.doc) return;
    this.doc = doc;
    this.mark(NO_MARKS);
    this.rows.reset(doc?.count ?? 0, Math.min(doc?.widest ?? 0, LONGEST) + 10);
  }

  mark(marks: Marks): void {
    const isOtherQuery = marks.query !== this.marks.query;
    const isRepainted = isOtherQuery || marks.changes !== this.marks.changes || marks.other !== this.marks.other;
    if (isOtherQuery) this.hits = this.doc ? hitLines(this.doc, marks.query) : [];
    this.marks = marks;
    this.linked = new Set(marks.linked);
    this.rows.each((row, index) => {
      if (isRepainted) this.fill(row, index + 1);
      this.decorate(row, index + 1);
    });
    const { caret } = marks;
    this.rows.kept = (caret ?? 0) - 1;
    set(this.scroller, 'aria-activedescendant', caret === undefined ? undefined : this.id(caret));
    this.rule();
  }

  /** Draws the overview anew. */
  rule(): void {
    const kinds = new Map<string, number[]>([['linked', this.marks.linked]]);
    for (const [line, { kind }] of this.marks.changes) cached(kinds, kind, (): number[] => []).push(line);
    kinds.set('hit', this.hits);
    this.ruler.show(this.doc?.count ?? 0, kinds);
    this.ruler.look(this.rows.top, this.rows.visible);
  }

  private id(line: number): string {
    return `${this.hook.join('-')}-${line}`;
  }

  private row(line: number): HTMLElement {
    const text = el('span', { 'data-text': '' });
    const row = el('div', { class: 'row', role: 'option', id: this.id(line), 'data-line': line }, text);
    set(row, 'aria-posinset', line);
    set(row, 'aria-setsize', this.doc?.count);
    this.fill(row, line);
    this.decorate(row, line);
    return row;
  }

  /** Writes the text of a row. */
  private fill(row: HTMLElement, line: number): void {
    const target = row.firstElementChild;
    if (!this.doc || !(target instanceof HTMLElement)) return;
    const all = this.doc.line(line);
    const text = all.length > LONGEST ? all.slice(0, LONGEST) : all;
    target.setAttribute('data-text', text);
    const marks: Span[] = hitRanges(text, this.marks.query).map(([a, b]): Span => [a, b, 'hit']);
    const change = this.marks.changes.get(line);
    if (!marks.length && change?.partner && this.marks.other && (change.kind === 'edited' || change.kind === 'renamed')) {
      for (const [a, b] of changedWords(this.marks.other.line(change.partner), text)) marks.push([a, b, 'word']);
    }
    paintLine(target, text, this.doc.language, marks);
  }

  /** Sets the marks of a row. Moved and renamed lines are edited lines with one attribute more. */
  private decorate(row: HTMLElement, line: number): void {
    const kind = this.marks.changes.get(line)?.kind;
    const isLinked = this.linked.has(line);
    set(row, 'data-change', kind === 'moved' || kind === 'renamed' ? 'edited' : kind);
    set(row, 'data-moved', kind === 'moved' ? '' : undefined);
    set(row, 'data-renamed', kind === 'renamed' ? '' : undefined);
    set(row, 'data-linked', isLinked ? '' : undefined);
    set(row, 'aria-selected', line === this.marks.caret ? 'true' : 'false');
    const text = this.doc?.line(line).slice(0, 500).trim() ?? '';
    const words = [String(line), kind, isLinked ? 'linked' : undefined, text ? undefined : 'blank'];
    const label = `${words.filter((word) => word !== undefined).join(', ')}: ${text}`;
    set(row, 'aria-label', kind || isLinked || !text ? label : undefined);
  }
}
