/** The list of passes. */
import { button, clamp, counted, el, joined, numberAt, on, onKeys, set } from './dom';
import { rowsIn } from './lines';
import type { State } from './state';
import type { Step } from './steps';
import { outerOf } from './steps';

/** Height of an item in pixels, as in the style. */
const ITEM = 26;
/** Lists up to this length are in the page as a whole. */
const SHORT = 300;

/** Makes the list. `choose` gets the step that is chosen, `fold` the steps whose inner ones are folded. */
export function passList(choose: (step: number) => void, toggleOnly: () => void, fold: (folded: number[]) => void) {
  let steps: Step[] = [];
  let longest = 0;
  let hits: number[] = [];
  let selected = 0;
  let listed: number[] = [];
  let folded = new Set<number>();
  /** How many passes ran inside a step. */
  let inner = new Map<number, number>();

  const list = el('div.list', { role: 'listbox', tabindex: 0, 'aria-label': 'Passes' });
  const count = el('span.detail');
  const only = button('changed-only', 'changed', 'Only passes that changed something (c)', toggleOnly);
  const foldAll = button('fold', 'fold', 'Fold passes that ran inside others (f)', toggleFolds);
  const header = el('header', {}, el('h2', {}, 'Passes'), count, foldAll, only);
  const root = el('nav.passes', { 'aria-label': 'Passes' }, header, list);
  const rows = rowsIn(list, ITEM, item, undefined, SHORT);

  function toggleFolds(): void {
    fold(folded.size ? [] : [...inner.keys()]);
  }

  /** Folds or unfolds what ran inside a step. */
  function toggle(step: number): void {
    const others = [...folded].filter((other) => other !== step);
    if (inner.has(step)) fold(others.length < folded.size ? others : [...others, step]);
  }

  function select(step: number): void {
    selected = step;
    const at = listed.indexOf(step);
    if (at >= 0) rows.reveal(at);
    rows.each((item, i) => set(item, 'aria-selected', i === at));
    set(list, 'aria-activedescendant', at < 0 ? undefined : `pass-${step}`);
  }

  function markItem(item: Element, step: number): void {
    set(item, 'data-found', hits[step]?.toLocaleString('en').replace(/^0$/, '') || undefined);
  }

  function item(at: number): HTMLElement {
    const index = listed[at] ?? 0;
    const step = steps[index];
    if (!step) return el('div');
    const { version, name, changed, parts } = step;
    const { error, wellFormed, readsBack, ms } = version;
    const inside = inner.get(index);
    const warn = error ? 'error' : wellFormed === false ? 'not well-formed' : readsBack === false ? 'does not read back' : '';
    // A phase is shown where it begins.
    const phase = version.phase !== steps[listed[at - 1] ?? -1]?.version.phase && version.phase;
    const took = ms == null ? '' : time(ms);
    const label = [
      // The visible text comes first: speech input names controls by it.
      joined(' ', name, phase, took),
      !phase && version.phase,
      index === 0 ? 'input' : changed ? 'changed' : 'not changed',
      inside && `${counted(inside, 'pass', 'passes')} inside`,
      parts && 'the runs part here',
      warn,
    ];
    const made = el(
      'div.item',
      {
        role: 'option',
        id: `pass-${index}`,
        'data-pass': index,
        'data-name': name,
        'data-changed': `${changed}`,
        'data-phase': version.phase,
        'data-parting': parts,
        'data-warn': warn || undefined,
        'aria-selected': index === selected,
        'aria-setsize': listed.length,
        'aria-posinset': at + 1,
        'aria-label': joined(', ', ...label),
        title: joined(' · ', ...label),
      },
      inside ? el('span.twist', {}, folded.has(index) ? '▸' : '▾') : undefined,
      el('span.name', {}, name),
    );
    const depth = Math.min(outerOf(steps, step.parent).length, 8);
    made.style.cssText = `--depth:${depth};--part:${longest ? (ms ?? 0) / longest : 0}`;
    if (phase) made.append(' ', el('span.phase', {}, phase));
    if (took) made.append(' ', el('span.ms', {}, took));
    markItem(made, index);
    return made;
  }

  on(list, 'click', (event) => {
    const step = numberAt(event, 'data-pass');
    if (step == null) return;
    if ((event.target as Element).matches('.twist')) toggle(step);
    else choose(step);
  });
  onKeys(list, (key) => {
    const at = listed.indexOf(selected);
    const jump = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: Infinity }[key];
    if (jump != null) choose(listed[clamp(jump, 0, listed.length - 1)] ?? 0);
    else if (key !== (folded.has(selected) ? 'ArrowRight' : 'ArrowLeft')) return false;
    else toggle(selected);
    return true;
  });
  return {
    root,
    toggleFolds,
    select,
    focus: () => list.focus(),
    /** Indices of the steps that are listed. */
    listed: () => listed,
    /** The listed step that is `by` items away. */
    neighbour(by: number): number | undefined {
      const at = listed.indexOf(selected);
      if (at >= 0) return listed[at + by];
      return by > 0 ? listed.find((s) => s > selected) : listed.findLast((s) => s < selected);
    },
    show(now: Step[], { changedOnly, folded: foldedNow }: State): void {
      steps = now;
      inner = new Map();
      for (const { parent } of steps) if (parent != null) inner.set(parent, (inner.get(parent) ?? 0) + 1);
      folded = new Set(foldedNow.filter((outer) => inner.has(outer)));
      longest = Math.max(0, ...steps.map(({ version }) => version.ms ?? 0));
      listed = steps.flatMap((step, i) => {
        const isHidden = (i > 0 && changedOnly && !step.changed) || outerOf(steps, step.parent).some((up) => folded.has(up));
        return isHidden ? [] : i;
      });
      set(only, 'aria-pressed', changedOnly);
      set(foldAll, 'aria-pressed', folded.size > 0);
      foldAll.hidden = !inner.size;
      const changed = steps.slice(1).filter((step) => step.changed).length;
      const all = Math.max(0, steps.length - 1);
      count.textContent = `${changed}/${all}`;
      count.title = `${changed} of ${counted(all, 'pass', 'passes')} changed something`;
      rows.reset(listed.length);
      select(selected);
    },
    /** Shows how often each step's text has what is searched. */
    mark(now: number[]): void {
      hits = now;
      rows.each((item, i) => markItem(item, listed[i] ?? 0));
    },
  };
}

/** A time with three digits at most. */
export function time(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  return ms >= 1 ? `${ms.toPrecision(ms >= 100 ? 3 : 2)} ms` : `${Math.round(ms * 1000)} µs`;
}
