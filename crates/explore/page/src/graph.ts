/**
 * A graph whose places the data gives. It scrolls like a text, so that panning, keys and focus work as everywhere; the wheel
 * with Ctrl and the keys + and - zoom. Above `MANY` nodes only those in sight are in the page, and none at a small scale.
 */
import type { Graph, GraphNode, Page } from './data';
import { button, el, inNextFrame, set, svg } from './dom';

const MANY = 500;
/** Most nodes in the page at once, and most labels of edges. */
const MOST = 500;
const LABELS = 50;
const MARGIN = 16;

export class GraphView {
  readonly root: HTMLElement;
  private readonly scroller = el('div', { class: 'scroller', tabindex: 0, role: 'group', 'aria-label': 'Graph' });
  private readonly drawing = svg('svg', { role: 'group', 'aria-label': 'Nodes' });
  private readonly layer = svg('g');
  private readonly edges = svg('path', { class: 'edges' });
  private readonly lit = svg('path', { class: 'edges lit' });
  private readonly boxes = svg('path', { class: 'boxes' });
  private readonly labels = svg('g', { class: 'labels' });
  private readonly nodes = svg('g');
  private readonly path = el('span', { class: 'path' });
  private readonly later = inNextFrame(() => this.draw());
  private readonly made = new Map<number, SVGGElement>();
  private scale = 1;
  private index = -1;
  private selected: string | undefined;
  private isLit: (node: GraphNode) => boolean = () => false;

  /** `pick` is called with a node that is clicked or chosen by Enter; `open` with the index of a graph. */
  constructor(
    private readonly page: Page,
    private readonly pick: (node: GraphNode) => void,
    private readonly open: (graph: number) => void,
  ) {
    this.drawing.append(this.layer);
    this.layer.append(this.edges, this.lit, this.boxes, this.nodes, this.labels);
    this.scroller.append(this.drawing);
    const tools = el(
      'span',
      { class: 'tools' },
      button('zoom-out', '−', 'Zoom out (-)', () => this.zoom(0.8)),
      button('zoom-fit', '◱', 'Whole graph (0)', () => this.fit()),
      button('zoom-in', '+', 'Zoom in (+)', () => this.zoom(1.25)),
    );
    this.root = el('section', { class: 'graph', 'aria-label': 'Graph' }, el('header', {}, this.path, tools), this.scroller);
    this.scroller.addEventListener('scroll', this.later, { passive: true });
    new ResizeObserver(this.later).observe(this.scroller);
    this.listen();
  }

  private get graph(): Graph | undefined {
    return this.page.graphs[this.index];
  }

  private nodeOf(target: EventTarget | null): GraphNode | undefined {
    const group = target instanceof Element ? target.closest('[data-node]') : null;
    return group ? this.graph?.nodes[Number(group.getAttribute('data-index'))] : undefined;
  }

  private listen(): void {
    let drag: { x: number; y: number } | undefined;
    let moved = 0;
    this.scroller.addEventListener('pointerdown', (event) => {
      if (event.button === 0 && event.pointerType === 'mouse') drag = { x: event.clientX, y: event.clientY };
      moved = 0;
    });
    addEventListener('pointermove', (event) => {
      if (!drag) return;
      moved += Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y);
      if (moved < 4) return;
      this.scroller.scrollBy(drag.x - event.clientX, drag.y - event.clientY);
      drag = { x: event.clientX, y: event.clientY };
    });
    addEventListener('pointerup', () => (drag = undefined));
    this.scroller.addEventListener('click', (event) => {
      const node = this.nodeOf(event.target);
      if (node && moved < 4) this.pick(node);
    });
    this.scroller.addEventListener('dblclick', (event) => this.enter(this.nodeOf(event.target)));
    this.scroller.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const box = this.scroller.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
      },
      { passive: false },
    );
    this.scroller.addEventListener('keydown', (event) => {
      if (event.metaKey || event.ctrlKey || event.altKey) return;
      const node = this.nodeOf(event.target);
      if (event.key === '+' || event.key === '=') this.zoom(1.25);
      else if (event.key === '-') this.zoom(0.8);
      else if (event.key === '0') this.fit();
      else if (node && (event.key === ' ' || (event.key === 'Enter' && node.inner == null))) this.pick(node);
      else if (node && event.key === 'Enter') this.enter(node);
      else if (event.key === 'Backspace' && this.graph?.parent != null) this.open(this.graph.parent);
      else if (node && event.key.startsWith('Arrow')) this.walk(node, event.key);
      else return;
      event.preventDefault();
    });
  }

  private enter(node: GraphNode | undefined): void {
    if (node?.inner != null) this.open(node.inner);
  }

  /** Moves the focus to the nearest node in a direction. */
  private walk(from: GraphNode, key: string): void {
    const [dx = 0, dy = 0] = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] }[key] ?? [0, 0];
    let best = -1;
    let least = Infinity;
    this.graph?.nodes.forEach((node, i) => {
      const x = node.x + node.w / 2 - from.x - from.w / 2;
      const y = node.y + node.h / 2 - from.y - from.h / 2;
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (node !== from && along > 0 && along + 2 * aside < least) [best, least] = [i, along + 2 * aside];
    });
    this.focusNode(best);
  }

  private focusNode(index: number): void {
    const node = this.graph?.nodes[index];
    if (!node) return;
    this.reveal(node);
    this.draw();
    this.made.get(index)?.focus({ preventScroll: true });
  }

  /** Shows a graph. */
  show(index: number): void {
    if (index === this.index) return;
    this.index = index;
    const { graph } = this;
    this.made.clear();
    this.nodes.replaceChildren();
    if (!graph) return;
    const steps: Node[] = [];
    const seen = new Set<number>();
    for (let at: number | null | undefined = index; at != null && !seen.has(at); at = this.page.graphs[at]?.parent) {
      seen.add(at);
      const here = at;
      const name = this.page.graphs[at]?.name ?? '';
      const title = this.page.graphs[at]?.kind === 'calls' ? `Calls` : name || 'Model';
      steps.unshift(at === index ? el('h2', {}, title) : button('graph', title, `Show ${title}`, () => this.open(here)));
    }
    const entrances = this.page.graphs.flatMap((g, i) => (g.parent == null && !seen.has(i) ? [i] : []));
    const isEntrance = (i: number) => this.page.graphs.findIndex((g) => g.parent == null && g.kind === this.page.graphs[i]?.kind) === i;
    for (const i of entrances.filter(isEntrance)) {
      const title = this.page.graphs[i]?.kind === 'calls' ? 'Calls' : 'Model';
      steps.push(button('graph', title, `Show the graph: ${title}`, () => this.open(i)));
    }
    this.path.replaceChildren(...steps);
    let d = '';
    for (const edge of graph.edges) d += line(edge.points);
    set(this.edges, 'd', d);
    let boxes = '';
    if (graph.nodes.length > MANY) for (const { x, y, w, h } of graph.nodes) boxes += `M${x} ${y}h${w}v${h}h${-w}z`;
    set(this.boxes, 'd', boxes);
    this.scale = 1;
    this.resize();
    this.scroller.scrollTo((graph.width - this.scroller.clientWidth) / 2, 0);
    this.draw();
  }

  private resize(): void {
    const { graph, scale } = this;
    if (!graph) return;
    set(this.drawing, 'width', Math.ceil((graph.width + 2 * MARGIN) * scale));
    set(this.drawing, 'height', Math.ceil((graph.height + 2 * MARGIN) * scale));
    set(this.layer, 'transform', `scale(${scale}) translate(${MARGIN} ${MARGIN})`);
  }

  private zoom(by: number, x = this.scroller.clientWidth / 2, y = this.scroller.clientHeight / 2): void {
    const scale = Math.max(0.02, Math.min(4, this.scale * by));
    const ratio = scale / this.scale;
    const { scrollLeft, scrollTop } = this.scroller;
    this.scale = scale;
    this.resize();
    this.scroller.scrollTo((scrollLeft + x) * ratio - x, (scrollTop + y) * ratio - y);
    this.draw();
  }

  private fit(): void {
    const { graph } = this;
    if (!graph) return;
    const across = this.scroller.clientWidth / (graph.width + 2 * MARGIN);
    const down = this.scroller.clientHeight / (graph.height + 2 * MARGIN);
    this.zoom(Math.min(1, across, down) / this.scale);
  }

  /** Marks the nodes that `isLit` tells and the one that is chosen, and brings the first into sight. */
  mark(selected: string | undefined, isLit: (node: GraphNode) => boolean): void {
    this.selected = selected;
    this.isLit = isLit;
    const { graph } = this;
    if (!graph) return;
    const first = graph.nodes.find((node) => node.name === selected) ?? graph.nodes.find(isLit);
    if (first && !this.scroller.contains(document.activeElement)) this.reveal(first);
    let d = '';
    const labels: Node[] = [];
    for (const edge of graph.edges) {
      const [from, to] = [graph.nodes[edge.from], graph.nodes[edge.to]];
      if (!(from && isLit(from)) && !(to && isLit(to))) continue;
      d += line(edge.points);
      const [x = 0, y = 0, nextX = 0, nextY = 0] = edge.points;
      if (!edge.label || labels.length >= LABELS) continue;
      labels.push(svg('text', { x: x + (nextX - x) / 4 + 6, y: y + (nextY - y) / 4 + 5 }, edge.label.slice(0, 60)));
    }
    set(this.lit, 'd', d);
    this.labels.replaceChildren(...labels);
    this.draw();
  }

  private reveal(node: GraphNode): void {
    const { scroller, scale } = this;
    const x = (node.x + MARGIN) * scale;
    const y = (node.y + MARGIN) * scale;
    const isInSight =
      x >= scroller.scrollLeft &&
      y >= scroller.scrollTop &&
      x + node.w * scale <= scroller.scrollLeft + scroller.clientWidth &&
      y + node.h * scale <= scroller.scrollTop + scroller.clientHeight;
    if (isInSight) return;
    scroller.scrollTo(x + (node.w * scale - scroller.clientWidth) / 2, y + (node.h * scale - scroller.clientHeight) / 2);
  }

  private draw(): void {
    const { graph, scale, scroller, made } = this;
    if (!graph) return;
    const isWhole = graph.nodes.length <= MANY;
    const [left, top] = [scroller.scrollLeft / scale - MARGIN, scroller.scrollTop / scale - MARGIN];
    const [right, bottom] = [left + (scroller.clientWidth || 800) / scale, top + (scroller.clientHeight || 600) / scale];
    const wanted = new Set<number>();
    graph.nodes.forEach((node, i) => {
      const isInSight = node.x < right && node.x + node.w > left && node.y < bottom && node.y + node.h > top;
      if (isWhole || (isInSight && wanted.size < MOST)) wanted.add(i);
    });
    for (const [i, group] of made) {
      if (wanted.has(i) || group === document.activeElement) continue;
      group.remove();
      made.delete(i);
    }
    for (const i of wanted) {
      const node = graph.nodes[i];
      if (!node) continue;
      let group = made.get(i);
      if (!group) {
        made.set(i, (group = this.node(node, i)));
        this.nodes.append(group);
      }
      set(group, 'data-linked', this.isLit(node) ? '' : undefined);
      set(group, 'aria-pressed', String(node.name === this.selected));
    }
  }

  private node(node: GraphNode, index: number): SVGGElement {
    const fits = Math.max(3, Math.floor((node.w - 12) / 6.7));
    const short = node.name.length > fits ? `…${node.name.slice(-(fits - 1))}` : node.name;
    const hasOp = node.op !== '' && node.op !== node.name && node.h >= 30;
    const op = node.op.slice(0, fits);
    // The visible text comes first: speech input names controls by it.
    const seen = hasOp ? `${short} ${op}` : short;
    const kind = [short === node.name ? '' : node.name, op === node.op && hasOp ? '' : node.op, node.mark, node.inner == null ? '' : 'namespace', node.schedule == null ? '' : 'with a schedule'];
    const group = svg('g', {
      'data-node': node.name,
      'data-index': index,
      'data-mark': node.mark ?? undefined,
      'data-inner': node.inner ?? undefined,
      'data-scheduled': node.schedule == null ? undefined : '',
      tabindex: 0,
      role: 'button',
      'aria-label': [seen, ...kind].filter((word) => word).join(', '),
      transform: `translate(${node.x} ${node.y})`,
    });
    group.append(svg('rect', { width: node.w, height: node.h, rx: 4 }));
    group.append(svg('text', { x: node.w / 2, y: node.h / 2 + (hasOp ? -2 : 4) }, short));
    if (hasOp) group.append(' ', svg('text', { class: 'op', x: node.w / 2, y: node.h / 2 + 12 }, op));
    group.append(svg('title', {}, [node.name, node.op, node.mark ?? ''].filter((word) => word).join('\n')));
    return group;
  }
}

/** A path through corners with rounded bends, and a head. */
function line(points: number[]): string {
  if (points.length < 4) return '';
  let d = `M${points[0]} ${points[1]}`;
  for (let i = 2; i + 3 < points.length; i += 2) {
    const [x = 0, y = 0, nextX = 0, nextY = 0] = points.slice(i, i + 4);
    d += `Q${x} ${y} ${(x + nextX) / 2} ${(y + nextY) / 2}`;
  }
  const [fromX = 0, fromY = 0, x = 0, y = 0] = points.slice(-4);
  const length = Math.hypot(x - fromX, y - fromY) || 1;
  const [ux, uy] = [((x - fromX) / length) * 6, ((y - fromY) / length) * 6];
  const wing = (side: number) => `${(x - ux + (side * uy) / 2).toFixed(1)} ${(y - uy - (side * ux) / 2).toFixed(1)}`;
  return `${d}L${x} ${y}M${wing(1)}L${x} ${y}L${wing(-1)}`;
}
