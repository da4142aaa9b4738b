/**
 * Texts cut into lines on demand, and the origins of each line.
 *
 * A text is stored once and cut once, whichever versions share it. Lines are strings only while they are shown.
 * Line numbers begin with 1, as in the data.
 */
import type { Page, Part } from './data';

/** A text and its lines. */
export interface Lines {
  text: string;
  count: number;
  /** Length of the longest line in characters. */
  widest: number;
  line(n: number): string;
  /** The line that holds the character at `offset`. */
  lineAt(offset: number): number;
}

function linesOf(text: string): Lines {
  const found = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found.push(at + 1);
  const starts = Uint32Array.from([...found, text.length + 1]);
  return {
    text,
    count: found.length,
    widest: found.reduce((widest, start, i) => Math.max(widest, (starts[i + 1] ?? 0) - 1 - start), 0),
    line: (n) => text.slice(starts[n - 1], (starts[n] ?? 0) - 1),
    lineAt: (offset) => upper(starts, offset),
  };
}

/** Origins of the lines of a text: those of line `n` are `ids[starts[n - 1]] .. ids[starts[n]]`. */
export interface Links {
  starts: Uint32Array;
  ids: Uint32Array;
}

/** Number of values that are at most `value`, in rising `values`. */
export function upper(values: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Decodes `LineOrigins` of the data; `same` maps an origin to the one that it is shown as. */
function decodeLinks(flat: number[], same: Uint32Array): Links {
  const starts = [0];
  const ids: number[] = [];
  let first = 0;
  for (let at = 0; at < flat.length; ) {
    const count = flat[at++] ?? 0;
    let last = first;
    for (let k = 0; k < count; k++) {
      last += flat[at++] ?? 0;
      if (k === 0) first = last;
      ids.push(same[last] ?? last);
    }
    starts.push(ids.length);
  }
  return { starts: Uint32Array.from(starts), ids: Uint32Array.from(ids) };
}

/** The lines of a source or of a version. */
export interface Doc {
  count: number;
  widest: number;
  language: string;
  parts: { part: Part; lines: Lines; links: Links | undefined; first: number }[];
  /** The origin of a line by its number, for a text whose lines are origins themselves. */
  implied: Map<number, number> | undefined;
  line(n: number): string;
  origins(n: number): number[];
  /** Name of the function that the line belongs to. */
  functionAt(n: number): string | undefined;
  /** First line of a function. */
  lineOf(name: string): number | undefined;
}

export type Documents = ReturnType<typeof documentsOf>;

/** The documents of a page, made when they are first asked for. */
export function documentsOf(page: Page) {
  const { runs } = page;
  const lineTables = new Map<number, Lines>();
  const linkTables = new Map<number, Links>();
  const docs = new Map<string, Doc>();
  /** The origin that each origin is shown as. */
  const same = Uint32Array.from(page.origins, (_, i) => i);
  identify();

  /** Two runs of the same source share its lines as origins. */
  function identify(): void {
    const sources = runs.map(({ source, versions }) => `${(source.length ? source : versions[0]?.parts)?.map((p) => p.text)}`);
    if (sources[0] !== sources[1]) return;
    const lines = sourceLines(0);
    page.origins.forEach((origin, i) => {
      if (origin.kind === 'line' && origin.run === 1) same[i] = lines.get(origin.line) ?? i;
    });
  }

  function sourceLines(run: number): Map<number, number> {
    const lines = new Map<number, number>();
    page.origins.forEach((origin, i) => {
      if (origin.kind === 'line' && origin.run === run) lines.set(origin.line, same[i] ?? i);
    });
    return lines;
  }

  function make(parts: Part[], language: string, implied?: Map<number, number>): Doc {
    let count = 0;
    const made = parts.map((part) => {
      const lines = cached(lineTables, part.text, () => linesOf(page.texts[part.text] ?? ''));
      const { links: table } = part;
      const links = table == null ? undefined : cached(linkTables, table, () => decodeLinks(page.links[table] ?? [], same));
      const first = count + 1;
      count += lines.count;
      return { part, lines, links, first };
    });
    const firsts = made.map(({ first }) => first);
    const entry = (n: number) => made[upper(firsts, n) - 1];
    return {
      count,
      widest: made.reduce((widest, { lines }) => Math.max(widest, lines.widest), 0),
      language,
      parts: made,
      implied,
      line(n) {
        const at = entry(n);
        return at ? at.lines.line(n - at.first + 1) : '';
      },
      origins(n) {
        const { links, first = 0 } = entry(n) ?? {};
        const own = implied?.get(n);
        const at = n - first;
        const ids = links ? [...links.ids.subarray(links.starts[at], links.starts[at + 1])] : [];
        return own == null || ids.includes(own) ? ids : [...ids, own];
      },
      functionAt: (n) => entry(n)?.part.function ?? undefined,
      lineOf(name) {
        const at = made.find(({ part }) => part.function === name);
        const head = at?.lines.text.split('\n').findIndex((line) => /^\s*def /.test(line)) ?? 0;
        return at && at.first + Math.max(0, head);
      },
    };
  }

  function version(run: number, index: number): Doc | undefined {
    const found = runs[run]?.versions[index];
    if (!found) return undefined;
    return cached(docs, `${run}.${index}`, () => {
      const isSource = index === 0 && !runs[run]?.source.length && found.parts.every((p) => p.links == null);
      return make(found.parts, found.language ?? 'python', isSource ? sourceLines(run) : undefined);
    });
  }

  return {
    page,
    version,
    /** The source text of a run, or its first version if it has none. */
    source(run: number): Doc | undefined {
      const parts = runs[run]?.source ?? [];
      if (!parts.length) return version(run, 0);
      return cached(docs, `${run}`, () => make(parts, 'python', sourceLines(run)));
    },
    /** A single text, e.g. of a schedule. */
    text: (text: number, language: string) => cached(docs, `t${text}`, () => make([{ text }], language)),
  };
}

/** The value of a key, made when it is first asked for. */
export function cached<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
