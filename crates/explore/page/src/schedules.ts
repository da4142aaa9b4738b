/** The record of a function's schedule: two records side by side, as trees and as text, and a step through all of them. */
import type { Hunk, Page, Schedule } from './data';
import { compare, marksOf } from './diff';
import type { Documents } from './documents';
import { button, choice, clamp, el, set, tools } from './dom';
import { NO_MARKS, paneOf } from './pane';

/** Makes the view. `step` is called with the record to show at the right, `open` with the index of a schedule. */
export function scheduleView(
  page: Page,
  documents: Documents,
  step: (record: number) => void,
  open: (schedule: number) => void,
) {
  const halfOf = (side: 'left' | 'right') => {
    const tree = paneOf('data-tree', side, `Tree, ${side}`);
    const text = paneOf('data-schedule-text', side, `Text, ${side}`);
    const call = el('code.call');
    const root = el('section.schedule', { 'data-schedule': side, 'aria-label': `Schedule, ${side}` }, call, tree.root, text.root);
    return { root, call, tree, text };
  };
  const [left, right] = [halfOf('left'), halfOf('right')];
  const list = el('ol.list', { 'aria-label': 'Records' });
  const title = el('h2');
  let shown: Schedule | undefined;
  let record = 0;
  const header = el(
    'header',
    {},
    title,
    tools(
      button('previous-record', '‹', 'Previous record (,)', () => step(record - 1)),
      button('next-record', '›', 'Next record (.)', () => step(record + 1)),
    ),
  );
  const root = el('div.schedules', {}, el('section.records', { 'aria-label': 'Records' }, header, list), left.root, right.root);

  function listRecords({ records }: Schedule, index: number): void {
    const names = page.schedules.map((schedule) => schedule.function);
    title.replaceChildren(names.length > 1 ? choice('Function', names, index, open) : (names[0] ?? ''));
    const items = records.map(({ primitive, call }, i) => {
      const name = i ? primitive : 'start';
      const press = button('record', name, call || name, () => step(i));
      press.prepend(el('b', {}, `${i}`), ' ');
      return el('li', { 'data-record': i }, press);
    });
    list.replaceChildren(...items);
  }

  function fill({ tree, text, call }: typeof left, index: number): void {
    const found = shown?.records[index];
    const name = index ? `after ${index}: ${found?.primitive}` : 'before any primitive';
    call.textContent = call.title = found?.call || name;
    tree.show(found && documents.text(found.tree, 'text'), name);
    text.show(found && documents.text(found.text, 'python'), name);
  }

  function mark(before: typeof left.tree, after: typeof left.tree, stored: Hunk[]): void {
    const [a, b] = [before.doc(), after.doc()];
    if (!a || !b || !record) return;
    const hunks = stored.length ? stored : a === b ? [] : compare(a, b);
    before.mark({ ...NO_MARKS, changes: marksOf(hunks, 'before', a.count), other: b });
    after.mark({ ...NO_MARKS, changes: marksOf(hunks, 'after', b.count), other: a });
    const [first] = hunks;
    if (!first) return;
    before.rows.reveal(first.before[0] - 1);
    after.rows.reveal(first.after[0] - 1);
  }

  return {
    root,
    /** Shows a record and the one before it; no number means the last. */
    show(index: number, wanted: number | undefined): void {
      const schedule = page.schedules[index];
      if (!schedule) return;
      const last = schedule.records.length - 1;
      record = clamp(wanted ?? last, Math.min(1, last), last);
      if (schedule !== shown) listRecords(schedule, index);
      shown = schedule;
      const former = Math.max(0, record - 1);
      [...list.children].forEach((item, i) => {
        const isShown = i === record;
        set(item, 'data-side', isShown ? 'right' : i === former && 'left');
        set(item.children[0] ?? item, 'aria-current', isShown ? 'step' : undefined);
        if (isShown && root.clientHeight) item.scrollIntoView({ block: 'nearest' });
      });
      fill(left, former);
      fill(right, record);
      const { hunks, treeHunks } = schedule.records[record] ?? { hunks: [], treeHunks: [] };
      mark(left.tree, right.tree, treeHunks);
      mark(left.text, right.text, hunks);
    },
  };
}
