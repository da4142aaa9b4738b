/**
 * Texts cut into lines on demand, and the origins of each line.
 *
 * A text is stored once and cut once, whichever versions share it. Lines are strings only while they are shown.
 * Line numbers begin with 1, as in the data.
 */
import type { Page, Part, Version } from './data';

/** A text and the offsets of its lines. */
export class Lines {
  readonly count: number;
  /** Length of the longest line in characters. */
  readonly widest: number;
  private readonly starts: Uint32Array;

  constructor(readonly text: string) {
    const starts = [0];
    let widest = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      widest = Math.max(widest, at - (starts[starts.length - 1] ?? 0));
      starts.push(at + 1);
    }
    this.widest = Math.max(widest, text.length - (starts[starts.length - 1] ?? 0));
    this.starts = Uint32Array.from(starts);
    this.count = starts.length;
  }

  line(n: number): string {
    const next = this.starts[n];
    return this.text.slice(this.starts[n - 1] ?? 0, next === undefined ? undefined : next - 1);
  }

  /** The line that holds the character at `offset`. */
  lineAt(offset: number): number {
    return upper(this.starts, offset);
  }
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

const NONE: number[] = [];

/** The lines of a source or of a version. */
export class Doc {
  readonly count: number;
  readonly widest: number;
  readonly parts: { part: Part; lines: Lines; links: Links | undefined; first: number }[] = [];
  private readonly firsts: number[] = [];

  /** `implied` gives the origin of a line by its number, for a text whose lines are origins themselves. */
  constructor(
    parts: Part[],
    readonly language: string,
    tables: Documents,
    readonly implied: Map<number, number> | undefined,
  ) {
    let first = 1;
    let widest = 0;
    for (const part of parts) {
      const lines = tables.lines(part.text);
      this.parts.push({ part, lines, links: part.links == null ? undefined : tables.links(part.links), first });
      this.firsts.push(first);
      first += lines.count;
      widest = Math.max(widest, lines.widest);
    }
    this.count = first - 1;
    this.widest = widest;
  }

  private entry(n: number) {
    return this.parts[upper(this.firsts, n) - 1];
  }

  line(n: number): string {
    const entry = this.entry(n);
    return entry ? entry.lines.line(n - entry.first + 1) : '';
  }

  origins(n: number): number[] {
    const entry = this.entry(n);
    const own = this.implied?.get(n);
    if (!entry?.links) return own === undefined ? NONE : [own];
    const at = n - entry.first;
    const ids = Array.from(entry.links.ids.subarray(entry.links.starts[at] ?? 0, entry.links.starts[at + 1] ?? 0));
    if (own !== undefined && !ids.includes(own)) ids.push(own);
    return ids;
  }

  /** Name of the function that the line belongs to. */
  functionAt(n: number): string | undefined {
    return this.entry(n)?.part.function ?? undefined;
  }

  /** First line of a function. */
  lineOf(name: string): number | undefined {
    const entry = this.parts.find((p) => p.part.function === name);
    if (!entry) return undefined;
    for (let n = 1; n <= entry.lines.count; n++) {
      if (entry.lines.line(n).trimStart().startsWith('def ')) return entry.first + n - 1;
    }
    return entry.first;
  }
}

/** The documents of a page, made when they are first asked for. */
export class Documents {
  private readonly lineTables = new Map<number, Lines>();
  private readonly linkTables = new Map<number, Links>();
  private readonly docs = new Map<string, Doc>();
  private readonly same: Uint32Array;

  constructor(readonly page: Page) {
    this.same = Uint32Array.from(page.origins, (_, i) => i);
    this.identify();
  }

  /** Two runs of the same source share its lines as origins. */
  private identify(): void {
    const [a, b] = this.page.runs;
    if (!a || !b) return;
    const texts = (run: typeof a) => (run.source.length ? run.source : (run.versions[0]?.parts ?? [])).map((p) => p.text);
    if (texts(a).join() !== texts(b).join()) return;
    const lines = this.sourceLines(0);
    this.page.origins.forEach((origin, i) => {
      if (origin.kind !== 'line' || origin.run !== 1) return;
      this.same[i] = lines.get(origin.line) ?? i;
    });
  }

  private sourceLines(run: number): Map<number, number> {
    const lines = new Map<number, number>();
    this.page.origins.forEach((origin, i) => {
      if (origin.kind === 'line' && origin.run === run) lines.set(origin.line, this.same[i] ?? i);
    });
    return lines;
  }

  lines(text: number): Lines {
    return cached(this.lineTables, text, () => new Lines(this.page.texts[text] ?? ''));
  }

  links(links: number): Links {
    return cached(this.linkTables, links, () => decodeLinks(this.page.links[links] ?? [], this.same));
  }

  version(run: number, index: number): Doc | undefined {
    const version: Version | undefined = this.page.runs[run]?.versions[index];
    if (!version) return undefined;
    return cached(this.docs, `${run}.${index}`, () => {
      const isSource = index === 0 && !this.page.runs[run]?.source.length && version.parts.every((p) => p.links == null);
      return new Doc(version.parts, version.language ?? 'python', this, isSource ? this.sourceLines(run) : undefined);
    });
  }

  /** The source text of a run, or its first version if it has none. */
  source(run: number): Doc | undefined {
    const parts = this.page.runs[run]?.source ?? [];
    if (!parts.length) return this.version(run, 0);
    return cached(this.docs, `${run}`, () => new Doc(parts, 'python', this, this.sourceLines(run)));
  }

  /** A single text, e.g. of a schedule. */
  text(text: number, language: string): Doc {
    return cached(this.docs, `t${text}`, () => new Doc([{ text }], language, this, undefined));
  }
}

/** The value of a key, made when it is first asked for. */
export function cached<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
