/** Search over all versions: a text is searched once, its hits count once for each version that has it. */
import { cached } from './documents';
import { inSlices } from './dom';
import type { Doc } from './documents';

export class Search {
  /** Hits of each step's version. */
  hits: number[] = [];
  total = 0;
  private run = 0;
  private readonly counts = new Map<number, number>();

  /** Counts, then calls `done`. A later search ends this one. */
  start(query: string, versions: { text: number }[][], texts: string[], done: () => void): void {
    const run = ++this.run;
    this.counts.clear();
    this.hits = versions.map(() => 0);
    this.total = 0;
    if (!query) return done();
    let step = 0;
    const next = () => {
      for (const { text } of versions[step] ?? []) {
        const count = cached(this.counts, text, () => occurrences(texts[text] ?? '', query));
        this.hits[step] = (this.hits[step] ?? 0) + count;
        this.total += count;
      }
      return ++step < versions.length;
    };
    if (!versions.length) return done();
    inSlices(next, () => run !== this.run, done);
  }
}

function occurrences(text: string, query: string): number {
  let count = 0;
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) count++;
  return count;
}

/** Lines of a document with a hit, once each, in order. */
export function hitLines(doc: Doc, query: string): number[] {
  const found: number[] = [];
  if (!query) return found;
  for (const { lines, first } of doc.parts) {
    let last = 0;
    for (let at = lines.text.indexOf(query); at >= 0; at = lines.text.indexOf(query, at + query.length)) {
      const line = lines.lineAt(at);
      if (line !== last) found.push(first + line - 1);
      last = line;
    }
  }
  return found;
}

/** Ranges of a line that are hits. */
export function hitRanges(line: string, query: string): [number, number][] {
  const ranges: [number, number][] = [];
  if (!query) return ranges;
  for (let at = line.indexOf(query); at >= 0 && ranges.length < 500; at = line.indexOf(query, at + query.length)) {
    ranges.push([at, at + query.length]);
  }
  return ranges;
}
