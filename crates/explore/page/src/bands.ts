/**
 * Lines drawn between two panes: a band from the lines of each change before to those after, and curves between related
 * lines, those of the changes in sight and those of the chosen line.
 */
import type { Hunk } from './data';
import { startOf } from './diff';
import { cached } from './documents';
import { clamp, inNextFrame, onResize, set, svg } from './dom';
import type { Pane } from './pane';
import { ROW } from './pane';

/** Most curves that are drawn. */
const MOST = 400;
const WIDTH = 44;

export function bandsBetween(before: Pane, after: Pane) {
  const root = svg('svg.bands', { 'aria-hidden': true, width: WIDTH });
  let height = 0;
  let hunks: Hunk[] = [];
  let chosen: [number[], number[]] = [[], []];
  const later = inNextFrame(() => {
    const drawn: SVGElement[] = [];
    const y = (pane: Pane, place: number) => clamp(place * ROW - pane.rows.offset(), -40, height + 40);
    /** Draws a line from `a` to `b`, or down to `end` a band with the edge from `c` to `d`. */
    const draw = (kind: string, a: number, b: number, c?: number, d = b) => {
      if (((c ?? a) < 0 && d < 0) || (a > height && b > height) || drawn.length > MOST) return;
      const half = WIDTH / 2;
      const edge = c == null ? '' : `V${d}C${half} ${d} ${half} ${c} 0 ${c}z`;
      drawn.push(svg('path', { class: kind, d: `M0 ${a}C${half} ${a} ${half} ${b} ${WIDTH} ${b}${edge}` }));
    };
    const curve = (kind: string, from: number, to: number) => draw(kind, y(before, from - 0.5), y(after, to - 0.5));
    if (height && before.doc() && after.doc()) {
      for (const hunk of hunks) {
        const [a, b] = [startOf(hunk.before), startOf(hunk.after)];
        draw(`band ${hunk.kind}`, y(before, a), y(after, b), y(before, a + hunk.before[1]), y(after, b + hunk.after[1]));
      }
      for (const [from, to] of relatives()) curve('relative', from, to);
      const [from, to] = chosen;
      if (from.length * to.length <= 64) for (const a of from) for (const b of to) curve('chosen', a, b);
      else to.forEach((b, i) => curve('chosen', from[Math.floor((i * from.length) / to.length)] ?? 0, b));
    }
    root.replaceChildren(...drawn);
    set(root, 'data-curves', drawn.length);
  });

  /** Pairs of related lines in the changes in sight. */
  function relatives(): [number, number][] {
    const pairs: [number, number][] = [];
    const byOrigin = new Map<number, number[]>();
    const visit = (pane: Pane, look: (line: number, origins: number[]) => void) => {
      const doc = pane.doc();
      const first = Math.floor(pane.rows.top()) + 1;
      for (let n = first; doc && n <= Math.min(doc.count, first + pane.rows.visible()); n++) {
        if (pane.marks().changes.has(n)) look(n, doc.origins(n));
      }
    };
    visit(before, (n, origins) => {
      for (const id of origins) cached(byOrigin, id, (): number[] => []).push(n);
    });
    visit(after, (n, origins) => {
      for (const line of new Set(origins.flatMap((id) => byOrigin.get(id) ?? []))) if (pairs.length < MOST) pairs.push([line, n]);
    });
    return pairs;
  }

  onResize(root, (now) => {
    height = now;
    later();
  });
  return {
    root,
    later,
    /** Shows changes, and the chosen lines of both panes. */
    show(newHunks: Hunk[], newChosen: [number[], number[]]): void {
      hunks = newHunks;
      chosen = newChosen;
      later();
    },
  };
}
