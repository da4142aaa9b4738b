/** Search over all versions: a text is searched once, its hits count once for each version that has it. */
import { cached } from './documents';
import { inSlices } from './dom';
import type { Doc } from './documents';

/** Counts the hits of each version, then calls `done` with them and their sum. */
export function countHits(
  query: string,
  versions: { text: number }[][],
  texts: string[],
  isStale: () => boolean,
  done: (hits: number[], total: number) => void,
): void {
  const counts = new Map<number, number>();
  const hits: number[] = [];
  let total = 0;
  const next = () => {
    let count = 0;
    for (const { text } of (query && versions[hits.length]) || []) {
      count += cached(counts, text, () => offsets(texts[text] ?? '', query).length);
    }
    total += count;
    return hits.push(count) < versions.length;
  };
  inSlices(next, isStale, () => done(hits, total));
}

/** Places of the hits in a text, at most so many. */
function offsets(text: string, query: string, most = Infinity): number[] {
  const found: number[] = [];
  if (!query) return found;
  for (let at = text.indexOf(query); at >= 0 && found.length < most; at = text.indexOf(query, at + query.length)) found.push(at);
  return found;
}

/** Lines of a document with a hit, once each, in order. */
export function hitLines(doc: Doc, query: string): number[] {
  return doc.parts.flatMap(({ lines, first }) => [
    ...new Set(offsets(lines.text, query).map((at) => first + lines.lineAt(at) - 1)),
  ]);
}

/** Ranges of a line that are hits. */
export function hitRanges(line: string, query: string): [number, number][] {
  return offsets(line, query, 500).map((at) => [at, at + query.length]);
}
