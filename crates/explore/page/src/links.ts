/** Relatives of a line, and the history of a line through all versions. */
import type { Origin, Page } from './data';
import type { Doc, Links } from './documents';
import { cached } from './documents';
import { inSlices } from './dom';

export type Relatives = ReturnType<typeof relativesOf>;

/** A set of origins, and the lines that have one of them. */
export function relativesOf(ids: number[]) {
  const wanted = new Set(ids);
  const found = new Map<Links, number[]>();
  const has = (id: number) => wanted.has(id);

  function scan({ starts, ids }: Links): number[] {
    const lines: number[] = [];
    let line = 0;
    ids.forEach((id, i) => {
      if (!has(id)) return;
      while ((starts[line + 1] ?? Infinity) <= i) line++;
      if (lines.at(-1) !== line) lines.push(line);
    });
    return lines;
  }

  return {
    ids,
    has,
    /** Lines of a document with one of the origins, in order. */
    lines({ parts, implied, count }: Doc): number[] {
      if (!ids.length) return [];
      const all = parts.flatMap(({ links, first }) =>
        links ? cached(found, links, () => scan(links)).map((line) => first + line) : [],
      );
      for (const [line, id] of implied ?? []) if (has(id) && line <= count) all.push(line);
      return implied ? [...new Set(all)].sort((a, b) => a - b) : all;
    },
  };
}

/** A change in the forms of a line: at which step, its lines from then on, and in words. */
export interface Form {
  step: number;
  event: string;
  lines: number[];
  doc: Doc;
}

/** Lists the forms that a line takes through the versions; calls `show` with all of them, at once or slices later. */
export function history<S>(
  relatives: Relatives,
  steps: S[],
  docOf: (step: S) => Doc | undefined,
  isStale: () => boolean,
  show: (forms: Form[]) => void,
): void {
  const forms: Form[] = [];
  let step = 0;
  let last: Form | undefined;
  let lastText = '';
  const next = () => {
    const at = steps[step];
    const doc = at && docOf(at);
    if (doc) {
      const lines = relatives.lines(doc);
      const text = lines.map((n) => doc.line(n).trim()).join('\n');
      if (text !== lastText) {
        const event = eventOf(last?.lines.length ?? 0, lines.length, step === 0);
        last = { step, event, lines, doc };
        lastText = text;
        forms.push(last);
      }
    }
    return ++step < steps.length;
  };
  inSlices(next, isStale, () => show(forms));
}

function eventOf(before: number, now: number, isInput: boolean): string {
  if (before === 0) return isInput ? 'input' : 'appeared';
  if (now === 0) return 'died';
  if (now > before) return before === 1 ? `split into ${now}` : `${before} became ${now}`;
  if (now < before) return now === 1 ? `merged from ${before}` : `${before} became ${now}`;
  return 'edited';
}

/** An origin in words. */
export function describe(origin: Origin, { runs }: Page): string {
  switch (origin.kind) {
    case 'line':
      return `${runs[origin.run]?.name}:${origin.line}`;
    case 'layer':
      return `layer ${origin.name}`;
    case 'place':
      return origin.name;
    case 'made':
      return `made by ${runs[origin.run]?.versions[origin.version]?.name}, line ${origin.line}`;
  }
}
