/** Differences between two versions: marks of lines, the way from lines of one to lines of the other, changed words. */
import type { ChangeKind, Hunk } from './data';
import type { Doc } from './documents';
import { upper } from './documents';

/** The change of a line. */
export interface Mark {
  kind: ChangeKind;
  /** Index of the hunk. */
  hunk: number;
  /** The line of the other version that this one is compared with, word by word. */
  partner?: number;
}

type Side = 'before' | 'after';

/**
 * Marks of the lines of one side. Lines that were removed mark, in `after`, the line that follows the gap, or the last line.
 */
export function marksOf(hunks: Hunk[], side: Side, count: number): Map<number, Mark> {
  const marks = new Map<number, Mark>();
  const gaps: [number, number][] = [];
  hunks.forEach((hunk, index) => {
    const [first, length] = hunk[side];
    const [otherFirst, otherLength] = hunk[side === 'after' ? 'before' : 'after'];
    if (length === 0 && side === 'after') gaps.push([Math.max(1, Math.min(first + 1, count)), index]);
    for (let n = first; n < first + length; n++) {
      const mark: Mark = { kind: hunk.kind, hunk: index };
      if (length === otherLength) mark.partner = otherFirst + n - first;
      marks.set(n, mark);
    }
  });
  for (const [line, hunk] of gaps) if (!marks.has(line)) marks.set(line, { kind: 'removed', hunk });
  return marks;
}

/** Index of the first line of a hunk's side, from 0; for no lines the gap. */
export function startOf([first, length]: [number, number]): number {
  return length === 0 ? first : first - 1;
}

/**
 * Finds for a place in one version the place in the other that stands beside it. Places count lines from 0 and may be fractions.
 */
export function alignmentOf(hunks: Hunk[]): (place: number, from: Side) => number {
  const of = (side: Side) =>
    hunks.map((h): [number, number] => [startOf(h[side]), h[side][1]]).sort((a, b) => a[0] - b[0]);
  const ranges = { before: of('before'), after: of('after') };
  return (place, from) => {
    const to: Side = from === 'after' ? 'before' : 'after';
    for (const hunk of hunks) {
      const start = startOf(hunk[from]);
      const length = hunk[from][1];
      if (hunk.kind === 'moved' || place < start || place >= start + length) continue;
      return startOf(hunk[to]) + ((place - start) / length) * hunk[to][1];
    }
    // Outside of changes, lines correspond in order.
    let found = place;
    for (const [start, length] of ranges[from]) if (start < place) found -= Math.min(length, place - start);
    for (const [start, length] of ranges[to]) if (start <= found) found += length;
    return found;
  };
}

/** Ranges of `b` that differ from `a`, by words. */
export function changedWords(a: string, b: string): [number, number][] {
  if (a.length > 2_000 || b.length > 2_000) return [];
  const words = (s: string) => s.match(/\w+|\s+|[^\w\s]/g) ?? [];
  const old = words(a);
  const now = words(b);
  const ranges: [number, number][] = [];
  let first = 0;
  let last = 0;
  const isSameLength = old.length === now.length;
  if (!isSameLength) {
    const least = Math.min(old.length, now.length);
    while (first < least && old[first] === now[first]) first++;
    while (last < least - first && old[old.length - 1 - last] === now[now.length - 1 - last]) last++;
  }
  let at = 0;
  now.forEach((word, i) => {
    const differs = isSameLength ? word !== old[i] : i >= first && i < now.length - last;
    const previous = ranges[ranges.length - 1];
    if (differs && previous?.[1] === at) previous[1] += word.length;
    else if (differs) ranges.push([at, at + word.length]);
    at += word.length;
  });
  // Lines with nothing in common gain nothing by marks.
  const marked = ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  return marked > b.trim().length * 0.8 ? [] : ranges;
}

/** Hunks between any two texts, by lines that occur once in each; linear up to sorting. For pairs that the data does not compare. */
export function compare(a: Doc, b: Doc): Hunk[] {
  const ids = new Map<string, number>();
  const lines = (doc: Doc) =>
    Array.from({ length: doc.count }, (_, i) => {
      const line = doc.line(i + 1).trim();
      const id = ids.get(line) ?? ids.size;
      ids.set(line, id);
      return id;
    });
  return compareIds(lines(a), lines(b));
}

/** Hunks between two lists of numbers. */
export function compareIds(a: number[], b: number[]): Hunk[] {
  const hunks: Hunk[] = [];
  const work: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let next = work.pop(); next; next = work.pop()) {
    let [a0, a1, b0, b1] = next;
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) (a0++, b0++);
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) (a1--, b1--);
    if (a0 === a1 && b0 === b1) continue;
    const anchors = a0 < a1 && b0 < b1 ? anchorsOf(a, a0, a1, b, b0, b1) : [];
    if (!anchors.length) {
      const kind = a0 === a1 ? 'added' : b0 === b1 ? 'removed' : 'edited';
      const side = (start: number, end: number): [number, number] => [start === end ? start : start + 1, end - start];
      hunks.push({ kind, before: side(a0, a1), after: side(b0, b1) });
      continue;
    }
    // The last gap is put first, so that hunks come in order of lines.
    let [lastA, lastB] = [a1, b1];
    for (const [x, y] of anchors.reverse()) {
      work.push([x + 1, lastA, y + 1, lastB]);
      [lastA, lastB] = [x, y];
    }
    work.push([a0, lastA, b0, lastB]);
  }
  return hunks;
}

/** Pairs of equal values that occur once on each side, as many as stand in the same order. */
function anchorsOf(a: number[], a0: number, a1: number, b: number[], b0: number, b1: number): [number, number][] {
  const places = new Map<number, [number, number, number, number]>();
  for (let i = a0; i < a1; i++) {
    const entry = places.get(a[i] ?? -1);
    if (entry) entry[0]++;
    else places.set(a[i] ?? -1, [1, i, 0, 0]);
  }
  for (let j = b0; j < b1; j++) {
    const entry = places.get(b[j] ?? -1);
    if (entry) (entry[2]++, (entry[3] = j));
  }
  const pairs = [...places.values()].filter(([m, , n]) => m === 1 && n === 1);
  // Longest rising sequence of places in `b`; the pairs are in order of `a`.
  const tails: number[] = [];
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([, , , j], index) => {
    const length = upper(tails, j);
    tails[length] = j;
    ends[length] = index;
    before[index] = length > 0 ? (ends[length - 1] ?? -1) : -1;
  });
  const found: [number, number][] = [];
  for (let index = ends[ends.length - 1] ?? -1; index >= 0; index = before[index] ?? -1) {
    const [, i, , j] = pairs[index] ?? [0, 0, 0, 0];
    found.push([i, j]);
  }
  return found.reverse();
}
