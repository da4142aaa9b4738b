/** The record of a function's schedule: two records side by side, as trees and as text, and a step through all of them. */
import type { Hunk, Page, Schedule } from './data';
import { compare, marksOf } from './diff';
import type { Documents } from './documents';
import { button, el, set } from './dom';
import { NO_MARKS, Pane } from './pane';

type Half = 'left' | 'right';

export class ScheduleView {
  readonly root: HTMLElement;
  private readonly list = el('ol', { class: 'list', 'aria-label': 'Records' });
  private readonly title = el('h2');
  private readonly panes: Record<Half, { tree: Pane; text: Pane; root: HTMLElement; call: HTMLElement }>;
  private schedule: Schedule | undefined;

  /** `step` is called with the record to show at the right. */
  constructor(
    private readonly page: Page,
    private readonly documents: Documents,
    private readonly step: (record: number) => void,
  ) {
    const half = (side: Half) => {
      const tree = new Pane(['data-tree', side], 'Tree', () => {});
      const text = new Pane(['data-schedule-text', side], 'Text', () => {});
      const call = el('code', { class: 'call' });
      const root = el('section', { class: 'schedule', 'data-schedule': side, 'aria-label': `Schedule, ${side}` }, call, tree.root, text.root);
      return { tree, text, root, call };
    };
    this.panes = { left: half('left'), right: half('right') };
    const move = (by: number) => this.step(this.record + by);
    const tools = el(
      'span',
      { class: 'tools' },
      button('previous-record', '‹', 'Previous record (,)', () => move(-1)),
      button('next-record', '›', 'Next record (.)', () => move(1)),
    );
    const steps = el('section', { class: 'records', 'aria-label': 'Records' }, el('header', {}, this.title, tools), this.list);
    this.root = el('div', { class: 'schedules' }, steps, this.panes.left.root, this.panes.right.root);
  }

  private record = 0;

  /** Shows a record and the one before it; no number means the last. */
  show(index: number, record: number | undefined): void {
    const schedule = this.page.schedules[index];
    if (!schedule) return;
    const last = schedule.records.length - 1;
    this.record = Math.max(Math.min(1, last), Math.min(record ?? last, last));
    if (schedule !== this.schedule) this.listRecords(schedule);
    this.schedule = schedule;
    this.title.textContent = schedule.function;
    [...this.list.children].forEach((item, i) => {
      const side = i === this.record ? 'right' : i === Math.max(0, this.record - 1) ? 'left' : undefined;
      set(item, 'data-side', side);
      const isShown = i === this.record;
      set(item.firstElementChild ?? item, 'aria-current', isShown ? 'step' : undefined);
      if (isShown && this.root.clientHeight) item.scrollIntoView({ block: 'nearest' });
    });
    this.fill('left', Math.max(0, this.record - 1));
    this.fill('right', this.record);
    this.mark();
  }

  private listRecords(schedule: Schedule): void {
    const items = schedule.records.map((record, i) => {
      const name = i === 0 ? 'start' : record.primitive;
      const press = button('record', name, record.call || name, () => this.step(i));
      press.prepend(el('b', {}, String(i)), ' ');
      return el('li', { 'data-record': i }, press);
    });
    this.list.replaceChildren(...items);
  }

  private fill(side: Half, index: number): void {
    const record = this.schedule?.records[index];
    const { tree, text, call } = this.panes[side];
    const name = index === 0 ? 'before any primitive' : `after ${index}: ${record?.primitive ?? ''}`;
    call.textContent = record?.call || name;
    tree.show(record && this.documents.text(record.tree, 'text'), name);
    text.show(record && this.documents.text(record.text, 'python'), name);
  }

  private mark(): void {
    const record = this.schedule?.records[this.record];
    const mark = (kind: 'tree' | 'text', stored: Hunk[] | undefined) => {
      const [left, right] = [this.panes.left[kind], this.panes.right[kind]];
      if (!left.doc || !right.doc || this.record === 0) return;
      const hunks = stored?.length ? stored : left.doc === right.doc ? [] : compare(left.doc, right.doc);
      const shown = { ...NO_MARKS };
      left.mark({ ...shown, changes: marksOf(hunks, 'before', left.doc.count), other: right.doc });
      right.mark({ ...shown, changes: marksOf(hunks, 'after', right.doc.count), other: left.doc });
      const [first] = hunks;
      if (first) {
        left.rows.reveal(first.before[0] - 1);
        right.rows.reveal(first.after[0] - 1);
      }
    };
    mark('tree', record?.treeHunks);
    mark('text', record?.hunks);
  }
}
