/** The three panes of texts, and what ties them together: changes, relatives, scrolling side by side. */
import { bandsBetween } from './bands';
import type { Mark } from './diff';
import { alignmentOf, marksOf, startOf } from './diff';
import type { Doc, Documents } from './documents';
import { button, el, tools } from './dom';
import type { Relatives } from './links';
import { relativesOf } from './links';
import { paneOf } from './pane';
import type { PaneName, State } from './state';
import { BOTH, comparisonOf } from './steps';
import type { Comparison, Ref, Step } from './steps';

const NAMES = ['source', 'before', 'after'] as const;
const NO_TEXT = 'There is no text here.';
const NO_CHANGES = new Map<number, Mark>();

/** Makes the panes. `pick` gets a line that is chosen; `toChange` is called with -1 or 1. */
export function textPanes(
  documents: Documents,
  pick: (pane: PaneName, line: number) => void,
  toChange: (by: number) => void,
  togglePin: () => void,
) {
  const paneNamed = (name: PaneName, label: string) =>
    paneOf('data-pane', name, label, (line) => pick(name, line), (byUser) => {
      if (name === 'source') return;
      bands.later();
      if (byUser) follow(name);
    });
  const source = paneNamed('source', 'Source');
  const before = paneNamed('before', 'Before');
  const after = paneNamed('after', 'After');
  const panes = { source, before, after };
  const bands = bandsBetween(before, after);
  const pin = button('pin', 'pin', 'Compare with this version from now on (b)', togglePin);
  before.header.append(pin);
  after.header.append(
    tools(
      button('previous-change', '↑', 'Previous change (p)', () => toChange(-1)),
      button('next-change', '↓', 'Next change (n)', () => toChange(1)),
    ),
  );
  let comparison: Comparison = { before: undefined, after: undefined, hunks: [] };
  let across = alignmentOf([]);
  let changes = { source: NO_CHANGES, before: NO_CHANGES, after: NO_CHANGES };

  /** Scrolls the other pane of the comparison to what stands beside the text of this one. */
  function follow(name: 'before' | 'after'): void {
    const [{ rows, doc }, other] = name === 'after' ? [after, before] : [before, after];
    if (!doc() || !other.doc()) return;
    other.yield();
    // The line at a third of the height stands beside its counterpart; near the beginning, a line further up.
    const at = Math.min(rows.visible() / 3, rows.top());
    other.rows.scrollTo(across(rows.top() + at, name) - at);
  }

  /** Brings the first marked line of a pane into sight if none is. */
  function revealFirst(name: PaneName): void {
    const { rows, marks } = panes[name];
    const { linked } = marks();
    const isInSight = (n: number) => n - 1 >= rows.top() && n - 1 <= rows.top() + rows.visible();
    if (linked[0] == null || linked.some(isInSight)) return;
    panes[name].yield();
    rows.reveal(linked[0] - 1, true);
  }

  /** The next line with a hit after line `from`, or before it. */
  function hit(from: number, by: number): number | undefined {
    return by > 0 ? after.hits().find((n) => n > from) : after.hits().findLast((n) => n < from);
  }

  return {
    root: el('div.texts', {}, source.root, before.root, bands.root, after.root),
    panes,
    pin,
    hit,
    hunks: () => comparison.hunks,
    /** Shows a step, compared with the version before it or with `base`. */
    show(step: Step, mode: number, base: Ref | undefined): void {
      const { runs } = documents.page;
      comparison = comparisonOf(step, base, documents);
      const { hunks } = comparison;
      across = alignmentOf(hunks);
      changes = {
        source: NO_CHANGES,
        before: marksOf(hunks, 'before', comparison.before?.count ?? 0),
        after: marksOf(hunks, 'after', comparison.after?.count ?? 0),
      };
      const name = (ref: Ref | undefined) => {
        const found = ref && runs[ref.run]?.versions[ref.index];
        return found ? `${mode === BOTH ? `${'AB'[ref.run]} · ` : ''}${ref.index} ${found.name}` : '';
      };
      const filled = (doc: Doc | undefined) => (doc?.count ? doc : undefined);
      const run = mode === BOTH ? 0 : mode;
      source.show(documents.source(run), runs[run]?.source.length ? runs[run].name : 'the input');
      before.show(filled(comparison.before), name(base ?? step.before), comparison.before ? NO_TEXT : 'Nothing stands before the input.');
      after.show(filled(comparison.after), name(step.after), NO_TEXT);
    },
    /** Marks changes, relatives of the choice and hits. */
    mark(relatives: Relatives | undefined, { pane, line, query }: State): void {
      for (const name of NAMES) {
        const doc = panes[name].doc();
        const caret = pane === name ? line : undefined;
        let linked = (doc && relatives?.lines(doc)) ?? [];
        if (doc && caret && caret <= doc.count && !linked.includes(caret)) linked = [...linked, caret].sort((a, b) => a - b);
        const other = { source: undefined, before: comparison.after, after: comparison.before }[name];
        panes[name].mark({ changes: changes[name], other, linked, caret, query });
      }
      bands.show(comparison.hunks, [before.marks().linked, after.marks().linked]);
    },
    /** Goes to the next or previous change of this step; `false` if there is none. */
    toChange(by: number): boolean {
      const { rows, doc } = after;
      const middle = rows.top() + rows.visible() / 3;
      const most = Math.max(0, (doc()?.count ?? 0) - rows.visible());
      const places = comparison.hunks.map((hunk) => startOf(hunk.after)).sort((a, b) => a - b);
      const target = by > 0 ? places.find((p) => p > middle + 0.9) : places.findLast((p) => p < middle - 0.9);
      if (target == null) return false;
      // Near an end of the text, a change may be as high as it gets.
      const top = Math.max(0, Math.min(target - rows.visible() / 3, most));
      if (Math.abs(top - rows.top()) <= 0.5) return false;
      rows.reveal(target, true);
      follow('after');
      return true;
    },
    /** Goes to the next or previous linked line of the pane with the focus. */
    toLinked(by: number): void {
      const focused = NAMES.find((name) => panes[name].root.contains(document.activeElement)) ?? 'after';
      const { rows, marks } = panes[focused];
      const middle = Math.round(rows.top() + rows.visible() / 3);
      const { linked } = marks();
      const next = by > 0 ? linked.find((n) => n - 1 > middle) : linked.findLast((n) => n - 1 < middle);
      const line = next ?? linked.at(by > 0 ? 0 : -1);
      if (line == null) return;
      rows.reveal(line - 1, true);
      if (focused !== 'source') follow(focused);
    },
    /** Brings the first hit into sight if none is. */
    revealHit(query: string): void {
      const first = query && hit(0, 1);
      if (first && !after.root.querySelector('mark')) after.rows.reveal(first - 1);
    },
    /** After a change of the step: to the first change, or to the one that the marked lines are in. */
    scrollToChange(): void {
      const [first] = comparison.hunks;
      const { linked } = after.marks();
      const line = linked.find((n) => changes.after.has(n)) ?? (first ? startOf(first.after) + 1 : linked[0]);
      if (line != null) after.rows.reveal(line - 1);
      follow('after');
      if (linked.length || line == null) return revealFirst('source');
      // Without a choice, the source shows where the first change comes from.
      const ids = first?.after[1] ? after.doc()?.origins(line) : before.doc()?.origins(first?.before[0] ?? 0);
      const doc = source.doc();
      const from = doc && relativesOf(ids ?? []).lines(doc)[0];
      if (from) source.rows.reveal(from - 1);
    },
    /** After a choice: to the relatives in the other panes. */
    scrollToRelatives({ line, pane }: State): void {
      const from = line == null ? undefined : pane;
      if (from !== 'source') revealFirst('source');
      if (from !== 'after') revealFirst('after');
      if (from !== 'after' && from !== 'before') follow('after');
      if (from !== 'before') revealFirst('before');
    },
  };
}
