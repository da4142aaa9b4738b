/** Relatives of a line, and the history of a line through all versions. */
import type { Origin, Page } from './data';
import type { Doc, Documents, Links } from './documents';
import { cached } from './documents';
import { inSlices } from './dom';

/** A set of origins, and the lines that have one of them. */
export class Relatives {
  private readonly wanted: Uint8Array;
  private readonly found = new Map<Links, number[]>();

  constructor(
    documents: Documents,
    readonly ids: number[],
  ) {
    this.wanted = new Uint8Array(documents.page.origins.length);
    for (const id of ids) this.wanted[id] = 1;
  }

  has(id: number): boolean {
    return this.wanted[id] === 1;
  }

  /** Lines of a document with one of the origins, in order. */
  lines(doc: Doc): number[] {
    const lines: number[] = [];
    if (!this.ids.length) return lines;
    for (const { links, first } of doc.parts) {
      if (!links) continue;
      const inside = cached(this.found, links, () => this.scan(links));
      for (const line of inside) lines.push(first + line);
    }
    if (!doc.implied) return lines;
    const all = new Set(lines);
    for (const [line, id] of doc.implied) if (this.has(id) && line <= doc.count) all.add(line);
    return [...all].sort((a, b) => a - b);
  }

  private scan({ starts, ids }: Links): number[] {
    const lines: number[] = [];
    for (let line = 0; line + 1 < starts.length; line++) {
      for (let i = starts[line] ?? 0; i < (starts[line + 1] ?? 0); i++) {
        if (this.wanted[ids[i] ?? 0]) {
          lines.push(line);
          break;
        }
      }
    }
    return lines;
  }
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
