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
  const { base } = state;
  const words: [string, string | number | undefined, unknown?][] = [
    ['run', state.mode, usual.mode],
    ['pass', state.step],
    ['line', state.line],
    ['pane', state.line == null ? undefined : state.pane, 'after'],
    ['view', state.view, usual.view],
    ['graph', state.graph, usual.graph],
    ['node', state.node],
    ['base', base && `${base.run}.${base.index}`],
    ['schedule', state.schedule, usual.schedule],
    ['record', state.record],
    ['panes', state.layout, usual.layout],
    ['changed', Number(state.changedOnly), 0],
    ['folded', state.folded.join('.'), ''],
    ['history', Number(state.history), 1],
    ['q', state.query, ''],
  ];
  const written = words.flatMap(([key, value, left]) => (value == null || value === left ? [] : `${key}=${encodeURIComponent(value)}`));
  return `#${written.join('&')}`;
}

/** Reads an address; what it leaves out is as in `usual`. */
export function parse(address: string, usual: State, page: Page): State {
  const words = new Map<string, string>();
  for (const word of address.slice(1, 9 * LONGEST).split('&')) {
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
  const { runs, graphs, schedules } = page;
  const views: View[] = ['text'];
  if (graphs.length) views.push('graph');
  if (schedules.length) views.push('schedules');
  const graph = number('graph', 0, graphs.length - 1) ?? usual.graph;
  const node = words.get('node');
  const schedule = number('schedule', 0, schedules.length - 1) ?? usual.schedule;
  const [, run, index] = /^(\d)\.(\d{1,6})$/.exec(words.get('base') ?? '') ?? [];
  const base = { run: Number(run), index: Number(index) };
  return {
    mode: number('run', 0, runs.length > 1 ? BOTH : 0) ?? usual.mode,
    step: number('pass', 0, Math.max(0, ...runs.map((run) => run.versions.length - 1))) ?? usual.step,
    line: number('line', 1, 1e9),
    pane: oneOf<PaneName>('pane', ['source', 'before']) ?? 'after',
    view: oneOf('view', views) ?? usual.view,
    graph,
    node: graphs[graph]?.nodes.some((n) => n.name === node) ? node : undefined,
    base: runs[base.run]?.versions[base.index] && base,
    schedule,
    record: number('record', 0, (schedules[schedule ?? -1]?.records.length ?? 0) - 1),
    layout: oneOf('panes', LAYOUTS) ?? usual.layout,
    changedOnly: words.get('changed') === '1',
    folded: words.get('folded')?.match(/\d{1,6}/g)?.map(Number) ?? [],
    history: words.get('history') !== '0',
    query: (words.get('q') ?? '').replace(/[\r\n]/g, '').slice(0, LONGEST),
  };
}
