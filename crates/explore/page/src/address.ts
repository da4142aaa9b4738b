/**
 * The state in the address, e.g. `#pass=3&line=12`. An address is input of strangers: what is not a known key with a value in
 * range is ignored.
 */
import type { Page } from './data';
import type { PaneName, State, View } from './state';
import { LAYOUTS } from './state';
import { BOTH } from './steps';

const LONGEST = 500;

export function format(state: State, usual: State): string {
  const words: [string, string | number][] = [];
  if (state.mode !== usual.mode) words.push(['run', state.mode]);
  words.push(['pass', state.step]);
  if (state.line !== undefined) words.push(['line', state.line]);
  if (state.line !== undefined && state.pane !== 'after') words.push(['pane', state.pane]);
  if (state.view !== usual.view) words.push(['view', state.view]);
  if (state.graph !== usual.graph) words.push(['graph', state.graph]);
  if (state.node !== undefined) words.push(['node', state.node]);
  if (state.base) words.push(['base', `${state.base.run}.${state.base.index}`]);
  if (state.schedule !== usual.schedule && state.schedule !== undefined) words.push(['schedule', state.schedule]);
  if (state.record !== undefined) words.push(['record', state.record]);
  if (state.layout !== usual.layout) words.push(['panes', state.layout]);
  if (state.changedOnly) words.push(['changed', 1]);
  if (state.query) words.push(['q', state.query]);
  return `#${words.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')}`;
}

/** Reads an address; what it leaves out is as in `usual`. */
export function parse(address: string, usual: State, page: Page): State {
  const state = { ...usual };
  const words = new Map<string, string>();
  for (const word of address.replace(/^#/, '').slice(0, 4 * LONGEST).split('&')) {
    const [key = '', value = ''] = word.split('=', 2);
    try {
      words.set(key, decodeURIComponent(value));
    } catch {
      // Half an escape: the word is ignored.
    }
  }
  const number = (key: string, from: number, to: number): number | undefined => {
    const word = words.get(key) ?? '';
    const value = /^\d{1,9}$/.test(word) ? Number(word) : NaN;
    return value >= from && value <= to ? value : undefined;
  };
  const oneOf = <T extends string>(key: string, values: readonly T[]): T | undefined =>
    values.find((value) => value === words.get(key));
  state.mode = number('run', 0, page.runs.length > 1 ? BOTH : 0) ?? state.mode;
  const most = Math.max(...page.runs.map((run) => run.versions.length)) - 1;
  state.step = number('pass', 0, Math.max(most, 0)) ?? state.step;
  state.line = number('line', 1, 1e9);
  state.pane = oneOf<PaneName>('pane', ['source', 'before', 'after']) ?? 'after';
  const views: View[] = ['text'];
  if (page.graphs.length) views.push('graph');
  if (page.schedules.length) views.push('schedules');
  state.view = oneOf('view', views) ?? state.view;
  state.graph = number('graph', 0, page.graphs.length - 1) ?? state.graph;
  const node = words.get('node');
  state.node = page.graphs[state.graph]?.nodes.some((n) => n.name === node) ? node : undefined;
  const [, run, index] = /^(\d)\.(\d{1,6})$/.exec(words.get('base') ?? '') ?? [];
  const base = { run: Number(run), index: Number(index) };
  state.base = page.runs[base.run]?.versions[base.index] ? base : undefined;
  state.schedule = number('schedule', 0, page.schedules.length - 1) ?? state.schedule;
  state.record = number('record', 0, (page.schedules[state.schedule ?? -1]?.records.length ?? 0) - 1);
  state.layout = oneOf('panes', LAYOUTS) ?? state.layout;
  state.changedOnly = words.get('changed') === '1';
  state.query = (words.get('q') ?? '').replace(/[\r\n]/g, '').slice(0, LONGEST);
  return state;
}
