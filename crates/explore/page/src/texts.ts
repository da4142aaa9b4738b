/** The three panes of texts, and what ties them together: changes, relatives, scrolling side by side. */
import { Bands } from './bands';
import type { Mark } from './diff';
import { Alignment, marksOf, startOf } from './diff';
import type { Doc, Documents } from './documents';
import { button, el } from './dom';
import { Relatives } from './links';
import { Pane } from './pane';
import type { PaneName, State } from './state';
import { BOTH, comparisonOf } from './steps';
import type { Comparison, Ref, Step } from './steps';

const NAMES = ['source', 'before', 'after'] as const;
const NO_TEXT = 'There is no text here.';
const NO_CHANGES = new Map<number, Mark>();

export class Texts {
  readonly root: HTMLElement;
  readonly panes: Record<PaneName, Pane>;
  readonly pin: HTMLButtonElement;
  comparison: Comparison = { before: undefined, after: undefined, hunks: [] };
  private readonly bands: Bands;
  private alignment = new Alignment([]);
  private changes = { before: NO_CHANGES, after: NO_CHANGES };

  /** `pick` gets a line that is chosen; `toChange` is called with -1 or 1. */
  constructor(
    private readonly documents: Documents,
    pick: (pane: PaneName, line: number) => void,
    toChange: (by: number) => void,
    togglePin: () => void,
  ) {
    const pane = (name: PaneName, label: string) =>
      new Pane(['data-pane', name], label, (line) => pick(name, line), (byUser) => {
        if (name === 'source') return;
        this.bands?.later();
        if (byUser) this.follow(name);
      });
    const panes = { source: pane('source', 'Source'), before: pane('before', 'Before'), after: pane('after', 'After') };
    this.panes = panes;
    this.bands = new Bands(panes.before, panes.after);
    this.pin = button('pin', 'pin', 'Compare with this version from now on (b)', togglePin);
    panes.before.header.append(this.pin);
    const tools = el(
      'span',
      { class: 'tools' },
      button('previous-change', '↑', 'Previous change (p)', () => toChange(-1)),
      button('next-change', '↓', 'Next change (n)', () => toChange(1)),
    );
    panes.after.header.append(tools);
    this.root = el('div', { class: 'texts' }, panes.source.root, panes.before.root, this.bands.root, panes.after.root);
  }

  doc(pane: PaneName): Doc | undefined {
    return this.panes[pane].doc;
  }

  /** Shows a step, compared with the version before it or with `base`. */
  show(step: Step, mode: number, base: Ref | undefined): void {
    const { documents, panes } = this;
    const { runs } = documents.page;
    this.comparison = comparisonOf(step, base, documents);
    const { before, after, hunks } = this.comparison;
    this.alignment = new Alignment(hunks);
    this.changes = {
      before: marksOf(hunks, 'before', before?.count ?? 0),
      after: marksOf(hunks, 'after', after?.count ?? 0),
    };
    const name = (ref: Ref | undefined) => {
      const found = ref && runs[ref.run]?.versions[ref.index];
      return found ? `${mode === BOTH ? `${'AB'[ref.run]} · ` : ''}${ref.index} ${found.name}` : '';
    };
    const run = mode === BOTH ? 0 : mode;
    panes.source.show(documents.source(run), runs[run]?.source.length ? runs[run].name : 'the input');
    panes.before.show(before?.count ? before : undefined, name(base ?? step.before), before ? NO_TEXT : 'Nothing stands before the input.');
    panes.after.show(after?.count ? after : undefined, name(step.after), NO_TEXT);
  }

  /** Marks changes, relatives of the choice and hits. */
  mark(relatives: Relatives | undefined, state: State): void {
    const { panes, comparison, changes } = this;
    const linked = (name: PaneName): number[] => {
      const doc = this.doc(name);
      if (!doc) return [];
      const lines = relatives?.lines(doc) ?? [];
      const own = state.pane === name ? state.line : undefined;
      if (own === undefined || own > doc.count || lines.includes(own)) return lines;
      return [...lines, own].sort((a, b) => a - b);
    };
    for (const name of NAMES) {
      panes[name].mark({
        changes: name === 'source' ? NO_CHANGES : changes[name],
        other: name === 'before' ? comparison.after : name === 'after' ? comparison.before : undefined,
        linked: linked(name),
        caret: state.pane === name ? state.line : undefined,
        query: state.query,
      });
    }
    this.bands.show(comparison.hunks, [panes.before.marks.linked, panes.after.marks.linked]);
  }

  /** Goes to the next or previous change of this step; `false` if there is none. */
  toChange(by: number): boolean {
    const { rows, doc } = this.panes.after;
    const middle = rows.top + rows.visible / 3;
    const most = Math.max(0, (doc?.count ?? 0) - rows.visible);
    const places = this.comparison.hunks.map(({ after }) => startOf(after)).sort((a, b) => a - b);
    const target = by > 0 ? places.find((p) => p > middle + 0.9) : places.findLast((p) => p < middle - 0.9);
    if (target === undefined) return false;
    // Near an end of the text, a change may be as high as it gets.
    const top = Math.max(0, Math.min(target - rows.visible / 3, most));
    if (Math.abs(top - rows.top) <= 0.5) return false;
    rows.reveal(target, true);
    this.follow('after');
    return true;
  }

  /** Goes to the next or previous linked line of the pane with the focus. */
  toLinked(by: number): void {
    const focused = NAMES.find((name) => this.panes[name].root.contains(document.activeElement)) ?? 'after';
    const { rows, marks } = this.panes[focused];
    const middle = Math.round(rows.top + rows.visible / 3);
    const lines = marks.linked;
    const next = by > 0 ? lines.find((n) => n - 1 > middle) : lines.findLast((n) => n - 1 < middle);
    const line = next ?? (by > 0 ? lines[0] : lines[lines.length - 1]);
    if (line === undefined) return;
    rows.reveal(line - 1, true);
    if (focused !== 'source') this.follow(focused);
  }

  /** The next line with a hit after line `from`, or before it. */
  hit(from: number, by: number): number | undefined {
    const lines = this.panes.after.hits;
    return by > 0 ? lines.find((n) => n > from) : lines.findLast((n) => n < from);
  }

  /** Brings the first hit into sight if none is. */
  revealHit(query: string): void {
    const first = query ? this.hit(0, 1) : undefined;
    if (first !== undefined && !this.panes.after.root.querySelector('mark')) this.panes.after.rows.reveal(first - 1);
  }

  /** Scrolls the other pane of the comparison to what stands beside the text of this one. */
  private follow(name: 'before' | 'after'): void {
    const other = this.panes[name === 'after' ? 'before' : 'after'];
    const { rows, doc } = this.panes[name];
    if (!doc || !other.doc) return;
    other.isLed = false;
    // The line at a third of the height stands beside its counterpart; near the beginning, a line further up.
    const at = Math.min(rows.visible / 3, rows.top);
    other.rows.scrollTo(this.alignment.across(rows.top + at, name) - at);
  }

  /** After a change of the step: to the first change, or to the one that the marked lines are in. */
  scrollToChange(): void {
    const [first] = this.comparison.hunks;
    const { source, before, after } = this.panes;
    const { linked } = after.marks;
    const inHunk = linked.find((n) => this.changes.after.has(n));
    const line = inHunk ?? (first ? startOf(first.after) + 1 : linked[0]);
    if (line !== undefined) after.rows.reveal(line - 1);
    this.follow('after');
    if (linked.length || line === undefined) return this.revealFirst('source');
    // Without a choice, the source shows where the first change comes from.
    const ids = first?.after[1] ? after.doc?.origins(line) : before.doc?.origins(first?.before[0] ?? 0);
    const [from] = source.doc ? new Relatives(this.documents, ids ?? []).lines(source.doc) : [];
    if (from !== undefined) source.rows.reveal(from - 1);
  }

  /** After a choice: to the relatives in the other panes. */
  scrollToRelatives(state: State): void {
    const isNode = state.line === undefined;
    const from = isNode ? undefined : state.pane;
    if (from !== 'source') this.revealFirst('source');
    if (from !== 'after') this.revealFirst('after');
    if (from !== 'after' && from !== 'before') this.follow('after');
    if (from !== 'before') this.revealFirst('before');
  }

  /** Brings the first marked line of a pane into sight if none is. */
  private revealFirst(name: PaneName): void {
    const { rows, marks } = this.panes[name];
    const { top, visible } = rows;
    const [first] = marks.linked;
    if (first === undefined || marks.linked.some((n) => n - 1 >= top && n <= top + visible)) return;
    this.panes[name].isLed = false;
    rows.reveal(first - 1, true);
  }
}
