/** The list of passes. */
import { button, counted, el, set } from './dom';
import { Rows } from './lines';
import type { Step } from './steps';

/** Height of an item in pixels, as in the style. */
const ITEM = 26;
/** Lists up to this length are in the page as a whole. */
const SHORT = 300;

export class Passes {
  readonly root: HTMLElement;
  private readonly list = el('div', { class: 'list', role: 'listbox', tabindex: 0, 'aria-label': 'Passes' });
  private readonly count = el('span', { class: 'detail' });
  private readonly only: HTMLButtonElement;
  private readonly fold: HTMLButtonElement;
  private readonly rows: Rows;
  private steps: Step[] = [];
  private longest = 0;
  private hits: number[] = [];
  private selected = 0;
  /** Indices of the steps that are listed. */
  listed: number[] = [];
  private readonly folded = new Set<number>();

  constructor(
    private readonly choose: (step: number) => void,
    toggleOnly: () => void,
  ) {
    this.only = button('changed-only', 'changed', 'Only passes that changed something (c)', toggleOnly);
    this.fold = button('fold', 'fold', 'Fold passes that ran inside others (f)', () => this.toggleFolds());
    const header = el('header', {}, el('h2', {}, 'Passes'), this.count, this.fold, this.only);
    this.root = el('nav', { class: 'passes', 'aria-label': 'Passes' }, header, this.list);
    this.rows = new Rows(this.list, ITEM, (at) => this.item(this.listed[at] ?? 0, at), undefined, SHORT);
    this.list.addEventListener('click', (event) => {
      if (!(event.target instanceof Element)) return;
      const item = event.target.closest('[data-pass]');
      if (!item) return;
      const step = Number(item.getAttribute('data-pass'));
      if (event.target.closest('.twist')) this.toggle(step);
      else choose(step);
    });
    this.list.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.listed.indexOf(this.selected);
    const jump = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: Infinity }[event.key];
    if (jump !== undefined) {
      event.preventDefault();
      const step = this.listed[Math.max(0, Math.min(this.listed.length - 1, jump))];
      if (step !== undefined) this.choose(step);
    } else if ((event.key === 'ArrowLeft') !== this.folded.has(this.selected) && /^Arrow(Left|Right)$/.test(event.key)) {
      event.preventDefault();
      this.toggle(this.selected);
    }
  }

  /** The listed step that is `by` items away. */
  neighbour(by: number): number | undefined {
    const at = this.listed.indexOf(this.selected);
    if (at >= 0) return this.listed[at + by];
    return by > 0 ? this.listed.find((s) => s > this.selected) : this.listed.findLast((s) => s < this.selected);
  }

  show(steps: Step[], isOnlyChanged: boolean): void {
    if (steps !== this.steps) this.folded.clear();
    this.steps = steps;
    this.longest = steps.reduce((longest, { version }) => Math.max(longest, version.ms ?? 0), 0);
    set(this.only, 'aria-pressed', String(isOnlyChanged));
    this.fold.hidden = !steps.some((step) => step.parent !== undefined);
    this.isOnlyChanged = isOnlyChanged;
    this.relist();
  }

  private isOnlyChanged = false;

  private relist(): void {
    const { steps, folded } = this;
    const isFolded = (step: Step) => {
      for (let up = step.parent, n = 0; up !== undefined && n < 32; up = steps[up]?.parent, n++) if (folded.has(up)) return true;
      return false;
    };
    this.listed = steps.flatMap((step, i) => {
      if (i > 0 && this.isOnlyChanged && !step.changed) return [];
      return isFolded(step) ? [] : [i];
    });
    set(this.fold, 'aria-pressed', String(folded.size > 0));
    const changed = steps.filter((step, i) => i > 0 && step.changed).length;
    this.count.textContent = `${changed}/${Math.max(0, steps.length - 1)}`;
    this.count.title = `${changed} of ${counted(steps.length - 1, 'pass', 'passes')} changed something`;
    this.rows.reset(this.listed.length);
    this.select(this.selected);
  }

  /** Folds or unfolds what ran inside a step. */
  private toggle(step: number): void {
    if (!this.steps.some((s) => s.parent === step)) return;
    if (!this.folded.delete(step)) this.folded.add(step);
    this.relist();
  }

  toggleFolds(): void {
    if (this.folded.size) this.folded.clear();
    else for (const { parent } of this.steps) if (parent !== undefined) this.folded.add(parent);
    this.relist();
  }

  select(step: number): void {
    this.selected = step;
    const at = this.listed.indexOf(step);
    if (at >= 0) this.rows.reveal(at);
    this.rows.each((item, i) => set(item, 'aria-selected', String(i === at)));
    set(this.list, 'aria-activedescendant', at >= 0 ? `pass-${step}` : undefined);
  }

  /** Shows how often each step's text has what is searched. */
  mark(hits: number[]): void {
    this.hits = hits;
    this.rows.each((item, i) => this.markItem(item, this.listed[i] ?? 0));
  }

  private markItem(item: Element, step: number): void {
    const count = this.hits[step];
    set(item, 'data-found', count ? count.toLocaleString('en') : undefined);
  }

  focus(): void {
    this.list.focus();
  }

  private item(index: number, at: number): HTMLElement {
    const step = this.steps[index];
    if (!step) return el('div');
    const { version } = step;
    const inner = this.steps.filter((s) => s.parent === index).length;
    const warn = version.error ? 'error' : version.wellFormed === false ? 'not well-formed' : version.readsBack === false ? 'does not read back' : '';
    // A phase is shown where it begins.
    const above = this.steps[this.listed[at - 1] ?? -1]?.version.phase;
    const phase = version.phase === above ? undefined : version.phase;
    const label = [
      // The visible text comes first: speech input names controls by it.
      [step.name, phase, version.ms == null ? '' : time(version.ms)].filter((word) => word).join(' '),
      phase ? '' : version.phase,
      index === 0 ? 'input' : step.changed ? 'changed' : 'not changed',
      inner ? `${counted(inner, 'pass', 'passes')} inside` : '',
      step.parts ? 'the runs part here' : '',
      warn,
    ];
    const name = el('span', { class: 'name' }, step.name);
    const item = el('div', {
      class: 'item',
      role: 'option',
      id: `pass-${index}`,
      'data-pass': index,
      'data-name': step.name,
      'data-changed': String(step.changed),
      'data-phase': version.phase ?? undefined,
      'data-parting': step.parts ? '' : undefined,
      'data-warn': warn || undefined,
      'aria-selected': String(index === this.selected),
      'aria-setsize': this.listed.length,
      'aria-posinset': at + 1,
      'aria-label': label.filter((words) => words).join(', '),
      title: label.filter((words) => words).join(' · '),
    });
    item.style.setProperty('--depth', String(Math.min(step.depth, 8)));
    if (inner) item.append(el('span', { class: 'twist' }, this.folded.has(index) ? '▸' : '▾'));
    item.append(name);
    if (phase) item.append(' ', el('span', { class: 'phase' }, phase));
    if (version.ms != null) {
      const bar = el('span', { class: 'ms' }, time(version.ms));
      bar.style.setProperty('--part', String(this.longest ? version.ms / this.longest : 0));
      item.append(' ', bar);
    }
    this.markItem(item, index);
    return item;
  }
}

/** A time with three digits at most. */
export function time(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  return ms >= 1 ? `${ms.toPrecision(ms >= 100 ? 3 : 2)} ms` : `${Math.round(ms * 1000)} µs`;
}
