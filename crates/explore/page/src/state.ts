/** The state of the page, in a form that the address keeps. */
import type { Ref } from './steps';

export type PaneName = 'source' | 'before' | 'after';
/** Views, in the order of the keys `1`, `2`, `3`. */
export const VIEWS = ['text', 'graph', 'schedules'] as const;
export type View = (typeof VIEWS)[number];

/** Panes of the view of texts, in the order in which the key `d` goes through them. */
export const LAYOUTS = ['all', 'diff', 'source', 'after'] as const;
type Layout = (typeof LAYOUTS)[number];
export const LAYOUT_NAMES: Record<Layout, string> = {
  all: 'source, before and after',
  diff: 'before and after',
  source: 'source and after',
  after: 'after alone',
};

export interface State {
  /** Index of the run, or `BOTH`. */
  mode: number;
  step: number;
  /** The chosen line, and the pane that it was chosen in. */
  line: number | undefined;
  pane: PaneName;
  /** Name of the chosen node; its origins are those that are marked. */
  node: string | undefined;
  /** Index of the graph that is shown. */
  graph: number;
  query: string;
  changedOnly: boolean;
  view: View;
  layout: Layout;
  /** The version that others are compared with, if it is not the one before. */
  base: Ref | undefined;
  schedule: number | undefined;
  record: number | undefined;
  /** Indices of steps whose inner ones are folded. */
  folded: number[];
  history: boolean;
}
