/** The overview beside a pane: where in the whole text are changes, linked lines and hits. */
import { set, svg } from './dom';

/** Height in pixels before the first layout. */
const HEIGHT = 400;

export class Ruler {
  readonly root = svg('svg', { class: 'ruler', 'aria-hidden': 'true' });
  private readonly paths = new Map<string, SVGPathElement>();
  private readonly window = svg('rect', { class: 'window', x: 0.5, width: 11 });
  private count = 1;
  private height = HEIGHT;

  /** `jump` gets a place from 0 to 1; `resized` draws anew. */
  constructor(jump: (place: number) => void, resized: () => void) {
    for (const kind of ['added', 'removed', 'edited', 'moved', 'renamed', 'hit', 'linked']) {
      const path = svg('path', { class: kind });
      this.paths.set(kind, path);
      this.root.append(path);
    }
    this.root.append(this.window);
    new ResizeObserver(([entry]) => {
      this.height = entry?.contentRect.height || HEIGHT;
      resized();
    }).observe(this.root);
    const at = (event: PointerEvent) => {
      const box = this.root.getBoundingClientRect();
      jump(Math.max(0, Math.min(1, (event.clientY - box.top) / Math.max(1, box.height))));
    };
    this.root.addEventListener('pointerdown', (event) => {
      this.root.setPointerCapture(event.pointerId);
      at(event);
    });
    this.root.addEventListener('pointermove', (event) => event.buttons && at(event));
  }

  /** Shows the lines of each kind, out of `count` lines. */
  show(count: number, kinds: Map<string, Iterable<number>>): void {
    this.count = Math.max(1, count);
    const { height } = this;
    for (const [kind, path] of this.paths) {
      const size = Math.max(2, height / this.count);
      const column = kind === 'linked' ? 'M6 ' : kind === 'hit' ? 'M4 ' : 'M1 ';
      let d = '';
      let last = -9;
      for (const line of kinds.get(kind) ?? []) {
        const y = Math.round(((line - 1) / this.count) * Math.min(height, this.count * 18) * 2) / 2;
        if (y < last + 1 && y >= last) continue;
        last = y;
        d += `${column}${y}h5v${Math.min(size, 18).toFixed(1)}h-5z`;
      }
      set(path, 'd', d);
    }
  }

  /** Shows which lines are in sight. */
  look(top: number, visible: number): void {
    const height = Math.min(this.height, this.count * 18);
    set(this.window, 'y', ((top / this.count) * height).toFixed(1));
    set(this.window, 'height', Math.max(6, Math.min(1, visible / this.count) * height - 1).toFixed(1));
  }
}
