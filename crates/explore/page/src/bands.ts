/**
 * Lines drawn between two panes: a band from the lines of each change before to those after, and curves between related
 * lines, those of the changes in sight and those of the chosen line.
 */
import type { Hunk } from './data';
import { startOf } from './diff';
import { cached } from './documents';
import { inNextFrame, set, svg } from './dom';
import type { Pane } from './pane';
import { ROW } from './pane';

/** Most curves that are drawn. */
const MOST = 400;
const WIDTH = 44;

export class Bands {
  readonly root = svg('svg', { class: 'bands', 'aria-hidden': 'true', width: WIDTH });
  readonly later = inNextFrame(() => this.draw());
  private height = 0;
  private hunks: Hunk[] = [];
  private chosen: [number[], number[]] = [[], []];

  constructor(
    private readonly before: Pane,
    private readonly after: Pane,
  ) {
    new ResizeObserver(([entry]) => {
      this.height = entry?.contentRect.height ?? 0;
      this.later();
    }).observe(this.root);
  }

  /** Shows changes, and the chosen lines of both panes. */
  show(hunks: Hunk[], chosen: [number[], number[]]): void {
    this.hunks = hunks;
    this.chosen = chosen;
    this.later();
  }

  private draw(): void {
    const { height } = this;
    if (!height || !this.before.doc || !this.after.doc) return this.root.replaceChildren();
    const drawn: SVGElement[] = [];
    const y = (pane: Pane, place: number) => Math.max(-40, Math.min(height + 40, place * ROW - pane.rows.offset));
    for (const hunk of this.hunks) {
      const a0 = startOf(hunk.before);
      const b0 = startOf(hunk.after);
      const [a, b] = [y(this.before, a0), y(this.before, a0 + hunk.before[1])];
      const [c, d] = [y(this.after, b0), y(this.after, b0 + hunk.after[1])];
      if ((b < 0 && d < 0) || (a > height && c > height) || drawn.length > MOST) continue;
      const half = WIDTH / 2;
      const path = `M0 ${a}C${half} ${a} ${half} ${c} ${WIDTH} ${c}V${d}C${half} ${d} ${half} ${b} 0 ${b}z`;
      drawn.push(svg('path', { class: `band ${hunk.kind}`, d: path }));
    }
    const curve = (from: number, to: number, kind: string) => {
      const [a, b] = [y(this.before, from - 0.5), y(this.after, to - 0.5)];
      if ((a < 0 && b < 0) || (a > height && b > height) || drawn.length > MOST) return;
      drawn.push(svg('path', { class: kind, d: `M0 ${a}C${WIDTH / 2} ${a} ${WIDTH / 2} ${b} ${WIDTH} ${b}` }));
    };
    for (const [from, to] of this.relatives()) curve(from, to, 'relative');
    const [from, to] = this.chosen;
    if (from.length * to.length <= 64) for (const a of from) for (const b of to) curve(a, b, 'chosen');
    else to.forEach((b, i) => curve(from[Math.floor((i * from.length) / to.length)] ?? 0, b, 'chosen'));
    this.root.replaceChildren(...drawn);
    set(this.root, 'data-curves', drawn.length);
  }

  /** Pairs of related lines in the changes in sight. */
  private relatives(): [number, number][] {
    const pairs: [number, number][] = [];
    const byOrigin = new Map<number, number[]>();
    const visit = (pane: Pane, look: (line: number) => void) => {
      const first = Math.floor(pane.rows.top) + 1;
      for (let n = first; n <= Math.min(pane.doc?.count ?? 0, first + pane.rows.visible); n++) {
        if (pane.marks.changes.has(n)) look(n);
      }
    };
    visit(this.before, (n) => {
      for (const id of this.before.doc?.origins(n) ?? []) cached(byOrigin, id, (): number[] => []).push(n);
    });
    visit(this.after, (n) => {
      const from = new Set((this.after.doc?.origins(n) ?? []).flatMap((id) => byOrigin.get(id) ?? []));
      for (const line of from) if (pairs.length < MOST) pairs.push([line, n]);
    });
    return pairs;
  }
}
