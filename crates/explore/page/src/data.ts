/**
 * The data of the page: types that mirror `src/page/mod.rs` of the crate, and the reader of the compressed block.
 */

export type ChangeKind = 'added' | 'removed' | 'edited' | 'moved' | 'renamed';

export type Origin =
  | { kind: 'line'; run: number; line: number }
  | { kind: 'layer'; name: string }
  | { kind: 'place'; name: string }
  | { kind: 'made'; run: number; version: number; line: number };

export interface Part {
  text: number;
  links?: number | null;
  function?: string | null;
}

export interface Hunk {
  kind: ChangeKind;
  before: [number, number];
  after: [number, number];
  note?: string | null;
}

export interface Version {
  name: string;
  phase?: string | null;
  inside?: number | null;
  ms?: number | null;
  changed: boolean;
  nodes?: number | null;
  sourced?: number | null;
  readsBack?: boolean | null;
  wellFormed?: boolean | null;
  error?: string | null;
  inferred?: boolean;
  language?: string;
  parts: Part[];
  hunks: Hunk[];
}

export interface Run {
  name: string;
  source: Part[];
  versions: Version[];
}

export interface GraphNode {
  name: string;
  op: string;
  x: number;
  y: number;
  w: number;
  h: number;
  inner?: number | null;
  origins: number[];
  function?: string | null;
  schedule?: number | null;
  mark?: string | null;
}

interface GraphEdge {
  from: number;
  to: number;
  points: number[];
  label?: string | null;
}

export interface Graph {
  name: string;
  kind: string;
  parent?: number | null;
  width: number;
  height: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

interface ScheduleRecord {
  primitive: string;
  call: string;
  text: number;
  tree: number;
  hunks: Hunk[];
  treeHunks: Hunk[];
}

export interface Schedule {
  function: string;
  records: ScheduleRecord[];
}

export interface Page {
  version: number;
  title: string;
  texts: string[];
  links: number[][];
  origins: Origin[];
  runs: Run[];
  parting?: [number, number] | null;
  graphs: Graph[];
  schedules: Schedule[];
  notes: string[];
}

/** Reads the page's data from its `<script id="data">`: base64 of deflated JSON. */
export async function readPage(): Promise<Page> {
  const block = document.getElementById('data')?.textContent ?? '';
  const packed = atob(block.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const inflater = new DecompressionStream('deflate-raw');
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(inflater)).text();
  return JSON.parse(text) as Page;
}
