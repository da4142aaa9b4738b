/**
 * A graph whose places the data gives. It scrolls like a text, so that panning, keys and focus work as everywhere; the wheel
 * with Ctrl and the keys + and - zoom. Above `MANY` nodes only those in sight are in the page, and none at a small scale.
 */
import type { Graph, GraphNode, Page } from './data';
import { button, choice, clamp, el, inNextFrame, joined, numberAt, on, onKeys, onResize, set, svg, tools } from './dom';

const MANY = 500;
/** Most nodes in the page at once, and most labels of edges. */
const MOST = 500;
const LABELS = 50;
const MARGIN = 16;

/** Makes the view. `pick` is called with a node that is clicked or chosen by Enter; `open` with the index of a graph. */
export function graphView(page: Page, pick: (node: GraphNode) => void, open: (graph: number) => void) {
  const edges = svg('path.edges');
  const lit = svg('path', { class: 'edges lit' });
  const boxes = svg('path.boxes');
  const labels = svg('g.labels');
  const nodes = svg('g');
  const layer = svg('g', {}, edges, lit, boxes, nodes, labels);
  const drawing = svg('svg', { role: 'group', 'aria-label': 'Nodes' }, layer);
  const scroller = el('div.scroller', { tabindex: 0, role: 'group', 'aria-label': 'Graph' }, drawing);
  const path = el('span.path');
  const zoomTools = tools(
    button('zoom-out', '−', 'Zoom out (-)', () => zoom(0.8)),
    button('zoom-fit', '◱', 'Whole graph (0)', fit),
    button('zoom-in', '+', 'Zoom in (+)', () => zoom(1.25)),
  );
  const root = el('section.graph', { 'aria-label': 'Graph' }, el('header', {}, path, zoomTools), scroller);
  const later = inNextFrame(draw);
  const made = new Map<number, SVGGElement>();
  let scale = 1;
  let shown = -1;
  let graph: Graph | undefined;
  let selected: string | undefined;
  let isLit: (node: GraphNode) => boolean = () => false;

  const nodeOf = (event: Event) => graph?.nodes[numberAt(event, 'data-index') ?? -1];
  const enter = (node: GraphNode | undefined) => {
    if (node?.inner != null) open(node.inner);
  };

  /** Moves the focus to the nearest node in a direction. */
  function walk(from: GraphNode, [dx, dy]: readonly [number, number]): void {
    let best: number | undefined;
    let least = Infinity;
    graph?.nodes.forEach((node, i) => {
      const x = node.x + node.w / 2 - from.x - from.w / 2;
      const y = node.y + node.h / 2 - from.y - from.h / 2;
      const along = x * dx + y * dy;
      const far = along + 2 * (Math.abs(x * dy) + Math.abs(y * dx));
      if (node !== from && along > 0 && far < least) [best, least] = [i, far];
    });
    const node = best != null && graph?.nodes[best];
    if (!node) return;
    reveal(node);
    draw();
    made.get(best ?? -1)?.focus({ preventScroll: true });
  }

  /** The way to a graph from the one that is in no other, and the choice of such a one. */
  function steps(index: number): Node[] {
    const title = (i: number) => (page.graphs[i]?.kind === 'calls' ? 'Calls' : page.graphs[i]?.name || 'Model');
    const way = [index];
    for (let up = graph?.parent; up != null && !way.includes(up); up = page.graphs[up]?.parent) way.unshift(up);
    const roots = page.graphs.flatMap((g, i) => (g.parent == null || i === way[0] ? i : []));
    const at = roots.indexOf(way[0] ?? 0);
    const found: Node[] = roots.length > 1 ? [choice('Graph', roots.map(title), at, (i) => open(roots[i] ?? 0))] : [];
    way.forEach((i, depth) => {
      if (i !== index) found.push(button('graph', title(i), `Show ${title(i)}`, () => open(i)));
      else if (depth || !found.length) found.push(el('h2', {}, title(i)));
    });
    return found;
  }

  function resize(): void {
    if (!graph) return;
    set(drawing, 'width', Math.ceil((graph.width + 2 * MARGIN) * scale));
    set(drawing, 'height', Math.ceil((graph.height + 2 * MARGIN) * scale));
    set(layer, 'transform', `scale(${scale}) translate(${MARGIN} ${MARGIN})`);
  }

  function zoom(by: number, x = scroller.clientWidth / 2, y = scroller.clientHeight / 2): void {
    const last = scale;
    const { scrollLeft, scrollTop } = scroller;
    scale = clamp(scale * by, 0.02, 4);
    resize();
    scroller.scrollTo(((scrollLeft + x) * scale) / last - x, ((scrollTop + y) * scale) / last - y);
    draw();
  }

  function fit(): void {
    if (!graph) return;
    const across = scroller.clientWidth / (graph.width + 2 * MARGIN);
    zoom(Math.min(1, across, scroller.clientHeight / (graph.height + 2 * MARGIN)) / scale);
  }

  /** The part of the drawing that is in sight. */
  function sight() {
    const [left, top] = [scroller.scrollLeft / scale - MARGIN, scroller.scrollTop / scale - MARGIN];
    return [left, top, left + (scroller.clientWidth || 800) / scale, top + (scroller.clientHeight || 600) / scale] as const;
  }

  function reveal({ x, y, w, h }: GraphNode): void {
    const [left, top, right, bottom] = sight();
    if (x >= left && y >= top && x + w <= right && y + h <= bottom) return;
    scroller.scrollTo(
      (x + w / 2 + MARGIN) * scale - scroller.clientWidth / 2,
      (y + h / 2 + MARGIN) * scale - scroller.clientHeight / 2,
    );
  }

  /** Draws the nodes in sight; `isMarked` tells that the marks of those that are drawn already changed. */
  function draw(isMarked = false): void {
    if (!graph) return;
    const isWhole = graph.nodes.length <= MANY;
    const [left, top, right, bottom] = sight();
    const wanted = new Map<number, GraphNode>();
    graph.nodes.forEach((node, i) => {
      const isInSight = node.x < right && node.x + node.w > left && node.y < bottom && node.y + node.h > top;
      if (isWhole || (isInSight && wanted.size < MOST)) wanted.set(i, node);
    });
    for (const [i, group] of made) {
      if (wanted.has(i) || group === document.activeElement) continue;
      group.remove();
      made.delete(i);
    }
    for (const [i, node] of wanted) {
      let group = made.get(i);
      if (group && !isMarked) continue;
      if (!group) {
        made.set(i, (group = drawnNode(node, i)));
        nodes.append(group);
      }
      set(group, 'data-linked', isLit(node));
      set(group, 'aria-pressed', node.name === selected);
    }
  }

  let drag: PointerEvent | undefined;
  let moved = 0;
  on(scroller, 'pointerdown', (event) => {
    if (event.button === 0 && event.pointerType === 'mouse') drag = event;
    moved = 0;
  });
  on(document, 'pointermove', (event) => {
    if (!drag) return;
    const [x, y] = [drag.clientX - event.clientX, drag.clientY - event.clientY];
    moved += Math.abs(x) + Math.abs(y);
    if (moved < 4) return;
    scroller.scrollBy(x, y);
    drag = event;
  });
  on(document, 'pointerup', () => (drag = undefined));
  on(scroller, 'click', (event) => {
    const node = nodeOf(event);
    if (node && moved < 4) pick(node);
  });
  on(scroller, 'dblclick', (event) => enter(nodeOf(event)));
  on(scroller, 'wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = scroller.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  });
  onKeys(scroller, (key, event) => {
    const node = nodeOf(event);
    const way = ({ ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] } as const)[key];
    if (key === '+' || key === '=') zoom(1.25);
    else if (key === '-') zoom(0.8);
    else if (key === '0') fit();
    else if (key === 'Backspace' && graph?.parent != null) open(graph.parent);
    else if (!node) return false;
    else if (key === 'Enter' && node.inner != null) enter(node);
    else if (key === ' ' || key === 'Enter') pick(node);
    else if (way) walk(node, way);
    else return false;
    return true;
  });
  on(scroller, 'scroll', later, true);
  onResize(scroller, later);
  return {
    root,
    /** Shows a graph. */
    show(index: number): void {
      if (index === shown) return;
      shown = index;
      graph = page.graphs[index];
      made.clear();
      nodes.replaceChildren();
      if (!graph) return;
      path.replaceChildren(...steps(index));
      set(edges, 'd', graph.edges.map(({ points }) => line(points)).join(''));
      const places = graph.nodes.length > MANY ? graph.nodes : [];
      set(boxes, 'd', places.map(({ x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`).join(''));
      scale = 1;
      resize();
      scroller.scrollTo((graph.width - scroller.clientWidth) / 2, 0);
      draw();
    },
    /** Marks the nodes that `isLitNow` tells and the one that is chosen, and brings the first into sight. */
    mark(selectedNow: string | undefined, isLitNow: (node: GraphNode) => boolean): void {
      selected = selectedNow;
      isLit = isLitNow;
      const all = graph?.nodes ?? [];
      const first = all.find(({ name }) => name === selected) ?? all.find(isLit);
      if (first && !scroller.contains(document.activeElement)) reveal(first);
      const found = (graph?.edges ?? []).filter(({ from, to }) => [all[from], all[to]].some((node) => node && isLit(node)));
      set(lit, 'd', found.map(({ points }) => line(points)).join(''));
      const words = found.flatMap(({ label, points: [x = 0, y = 0, nextX = 0, nextY = 0] }) =>
        label ? svg('text', { x: x + (nextX - x) / 4 + 6, y: y + (nextY - y) / 4 + 5 }, label.slice(0, 60)) : [],
      );
      labels.replaceChildren(...words.slice(0, LABELS));
      draw(true);
    },
  };
}

function drawnNode({ name, op, w, h, x, y, mark, inner, schedule }: GraphNode, index: number): SVGGElement {
  const fits = Math.max(3, Math.floor((w - 12) / 6.7));
  const short = name.length > fits ? `…${name.slice(1 - fits)}` : name;
  const shortOp = op !== name && h >= 30 ? op.slice(0, fits) : '';
  const label = joined(
    ', ',
    // The visible text comes first: speech input names controls by it.
    joined(' ', short, shortOp),
    short !== name && name,
    shortOp !== op && op,
    mark,
    inner != null && 'namespace',
    schedule != null && 'with a schedule',
  );
  const group = svg(
    'g',
    {
      'data-node': name,
      'data-index': index,
      'data-mark': mark,
      'data-inner': inner,
      'data-scheduled': schedule != null,
      tabindex: 0,
      role: 'button',
      'aria-label': label,
      transform: `translate(${x} ${y})`,
    },
    svg('rect', { width: w, height: h, rx: 4 }),
    svg('text', { x: w / 2, y: h / 2 + (shortOp ? -2 : 4) }, short),
  );
  if (shortOp) group.append(' ', svg('text.op', { x: w / 2, y: h / 2 + 12 }, shortOp));
  group.append(svg('title', {}, joined('\n', name, op, mark)));
  return group;
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
  const size = 6 / (Math.hypot(x - fromX, y - fromY) || 1);
  const [ux, uy] = [(x - fromX) * size, (y - fromY) * size];
  const wing = (side: number) => `${(x - ux + side * uy).toFixed(1)} ${(y - uy - side * ux).toFixed(1)}`;
  return `${d}L${x} ${y}M${wing(0.5)}L${x} ${y}L${wing(-0.5)}`;
}
