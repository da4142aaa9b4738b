/** A text with numbered lines: its rows, the line of the caret, marks of changes, of relatives and of hits. */
import type { Mark } from './diff';
import { changedWords } from './diff';
import type { Doc } from './documents';
import { cached } from './documents';
import { clamp, counted, el, joined, numberAt, on, onKeys, set } from './dom';
import { paintLine } from './highlight';
import type { Span } from './highlight';
import { rowsIn } from './lines';
import { rulerOf } from './ruler';
import { hitLines, hitRanges } from './search';

/** Height of a row in pixels, as in the style. */
export const ROW = 18;
/** Longest piece of a line that is put in the page. */
const LONGEST = 1_000_000;

/** Marks of the lines of a pane. */
export interface Marks {
  changes: Map<number, Mark>;
  /** Text that edited lines are compared with. */
  other?: Doc | undefined;
  linked: number[];
  caret?: number | undefined;
  query: string;
}

export const NO_MARKS: Marks = { changes: new Map(), linked: [], query: '' };

export type Pane = ReturnType<typeof paneOf>;

/**
 * Makes a pane. `hook` and `side` name it for scripts, e.g. `data-pane=after`. `pick` is called when a line is clicked or
 * reached by keys; `scrolled` after each change of what is in sight, with `true` if the user scrolled.
 */
export function paneOf(
  hook: string,
  side: string,
  label: string,
  pick: (line: number) => void = () => {},
  scrolled: (byUser: boolean) => void = () => {},
) {
  const detail = el('span.detail');
  const header = el('header', {}, el('h2', {}, label), detail);
  const scroller = el('div.scroller', { tabindex: 0 });
  const empty = el('p.empty');
  let doc: Doc | undefined;
  let marks = NO_MARKS;
  let hits: number[] = [];
  let linked = new Set<number>();
  /** `true` while the user scrolls this pane, `false` once another one does. */
  let isLed = false;
  const rows = rowsIn(
    scroller,
    ROW,
    (index) => {
      const line = index + 1;
      const row = el(
        'div.row',
        { role: 'option', id: idOf(line), 'data-line': line, 'aria-posinset': line, 'aria-setsize': doc?.count },
        el('span'),
      );
      fill(row, line);
      decorate(row, line);
      return row;
    },
    (byBar) => {
      look();
      scrolled(byBar && isLed);
    },
  );
  const ruler = rulerOf((place) => {
    rows.scrollTo(place * (doc?.count ?? 0) - rows.visible() / 2);
    scrolled(true);
  }, rule);
  const body = el('div.body', {}, scroller, ruler.root, empty);
  const root = el('section.pane', { [hook]: side, 'aria-label': label }, header, body);

  function look(): void {
    ruler.look(rows.top(), rows.visible());
  }

  /** Draws the overview anew. */
  function rule(): void {
    const kinds = new Map([['linked', marks.linked], ['hit', hits]]);
    for (const [line, { kind }] of marks.changes) cached(kinds, kind, (): number[] => []).push(line);
    ruler.show(doc?.count ?? 0, kinds);
    look();
  }

  function idOf(line: number): string {
    return `${hook}-${side}-${line}`;
  }

  /** Writes the text of a row. */
  function fill(row: HTMLElement, line: number): void {
    const text = doc?.line(line).slice(0, LONGEST) ?? '';
    const target = row.firstElementChild as HTMLElement;
    const spans: Span[] = hitRanges(text, marks.query).map(([a, b]) => [a, b, 'hit']);
    const { kind, partner } = marks.changes.get(line) ?? {};
    if (!spans.length && partner && marks.other && (kind === 'edited' || kind === 'renamed')) {
      for (const [a, b] of changedWords(marks.other.line(partner), text)) spans.push([a, b, 'word']);
    }
    set(target, 'data-text', text);
    paintLine(target, text, doc?.language ?? '', spans);
  }

  /** Sets the marks of a row. Moved and renamed lines are edited lines with one attribute more. */
  function decorate(row: HTMLElement, line: number): void {
    const kind = marks.changes.get(line)?.kind;
    const [isMoved, isRenamed, isLinked] = [kind === 'moved', kind === 'renamed', linked.has(line)];
    set(row, 'data-change', isMoved || isRenamed ? 'edited' : kind);
    set(row, 'data-moved', isMoved);
    set(row, 'data-renamed', isRenamed);
    set(row, 'data-linked', isLinked);
    set(row, 'aria-selected', line === marks.caret);
    const text = doc?.line(line).slice(0, 500).trim();
    const words = joined(', ', kind, isLinked && 'linked', !text && 'blank');
    set(row, 'aria-label', words ? `${line}, ${words}: ${text}` : undefined);
  }

  function mark(now: Marks): void {
    const isOtherQuery = now.query !== marks.query;
    const isRepainted = isOtherQuery || now.changes !== marks.changes || now.other !== marks.other;
    if (isOtherQuery) hits = doc ? hitLines(doc, now.query) : [];
    marks = now;
    linked = new Set(marks.linked);
    rows.each((row, index) => {
      if (isRepainted) fill(row, index + 1);
      decorate(row, index + 1);
    });
    const { caret } = marks;
    rows.keep((caret ?? 0) - 1);
    set(scroller, 'aria-activedescendant', caret && idOf(caret));
    rule();
  }

  on(scroller, 'click', (event) => {
    const line = numberAt(event, 'data-line');
    if (line && getSelection()?.isCollapsed !== false) pick(line);
  });
  for (const kind of ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const) on(scroller, kind, () => (isLed = true), true);
  onKeys(scroller, (key) => {
    const count = doc?.count ?? 0;
    const at = marks.caret ?? Math.ceil(rows.top()) + 1;
    const page = Math.max(1, Math.floor(rows.visible()) - 2);
    const target = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 1,
      End: count,
      Enter: at,
      ' ': at,
    }[key];
    if (target == null || !count) return false;
    const line = clamp(target, 1, count);
    rows.reveal(line - 1);
    scrolled(true);
    pick(line);
    return true;
  });
  return {
    root,
    header,
    rows,
    mark,
    doc: () => doc,
    marks: () => marks,
    /** Lines with a hit of the search. */
    hits: () => hits,
    /** Lets another pane lead the scrolling. */
    yield: () => (isLed = false),
    /** Shows a text; `message` stands in its place if there is none. */
    show(now: Doc | undefined, name: string, message = ''): void {
      detail.textContent = detail.title = name;
      empty.textContent = message;
      empty.hidden = !!now;
      set(root, 'data-lines', now?.count ?? 0);
      set(scroller, 'role', now && 'listbox');
      set(scroller, 'aria-label', now && `${label}: ${name}, ${counted(now.count, 'line')}`);
      if (now === doc) return;
      doc = now;
      mark(NO_MARKS);
      rows.reset(doc?.count ?? 0, Math.min(doc?.widest ?? 0, LONGEST) + 10);
    },
  };
}
