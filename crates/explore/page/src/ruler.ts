/** The overview beside a pane: where in the whole text are changes, linked lines and hits. */
import { clamp, on, onResize, set, svg } from './dom';

/** Height in pixels before the first layout. */
const HEIGHT = 400;
/** Kinds of marks, later ones over earlier ones, with their columns. */
const COLUMNS: Record<string, number> = { added: 1, removed: 1, edited: 1, moved: 1, renamed: 1, hit: 4, linked: 6 };

/** Makes a ruler. `jump` gets a place from 0 to 1; `resized` draws anew. */
export function rulerOf(jump: (place: number) => void, resized: () => void) {
  const paths = new Map(Object.keys(COLUMNS).map((kind) => [kind, svg('path', { class: kind })]));
  const window = svg('rect.window', { x: 0.5, width: 11 });
  const root = svg('svg.ruler', { 'aria-hidden': true }, ...paths.values(), window);
  let count = 1;
  let height = HEIGHT;
  const used = () => Math.min(height, count * 18);
  const at = (event: PointerEvent) => {
    const box = root.getBoundingClientRect();
    jump(clamp((event.clientY - box.top) / Math.max(1, box.height), 0, 1));
  };
  onResize(root, (now) => {
    height = now || HEIGHT;
    resized();
  });
  on(root, 'pointerdown', (event) => {
    root.setPointerCapture(event.pointerId);
    at(event);
  });
  on(root, 'pointermove', (event) => event.buttons && at(event));
  return {
    root,
    /** Shows the lines of each kind, out of `lines` lines. */
    show(lines: number, kinds: Map<string, number[]>): void {
      count = Math.max(1, lines);
      const size = clamp(height / count, 2, 18).toFixed(1);
      for (const [kind, path] of paths) {
        let d = '';
        let last = -9;
        for (const line of kinds.get(kind) ?? []) {
          const y = Math.round(((line - 1) / count) * used() * 2) / 2;
          if (y < last + 1 && y >= last) continue;
          last = y;
          d += `M${COLUMNS[kind]} ${y}h5v${size}h-5z`;
        }
        set(path, 'd', d);
      }
    },
    /** Shows which lines are in sight. */
    look(top: number, visible: number): void {
      set(window, 'y', ((top / count) * used()).toFixed(1));
      set(window, 'height', Math.max(6, Math.min(1, visible / count) * used() - 1).toFixed(1));
    },
  };
}
