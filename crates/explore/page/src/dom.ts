/** Makes elements. Text enters the page here alone, as text and never as markup. */

type Child = Node | string | false | null | undefined;
type Value = string | number | boolean | null | undefined;
type Attributes = Record<string, Value>;

/** Makes an element; `div.row` has a class. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K | `${K}.${string}`,
  attributes?: Attributes,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return make((name) => document.createElement(name as K), tag, attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K | `${K}.${string}`,
  attributes?: Attributes,
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return make((name) => document.createElementNS('http://www.w3.org/2000/svg', name as K), tag, attributes, children);
}

function make<E extends Element>(create: (name: string) => E, tag: string, attributes: Attributes = {}, children: Child[]): E {
  const [name = '', kind] = tag.split('.');
  const element = create(name);
  set(element, 'class', kind);
  for (const key in attributes) set(element, key, attributes[key]);
  append(element, ...children);
  return element;
}

/** Appends children; those that are nothing or `false` are left out. */
export function append(element: Element, ...children: Child[]): void {
  element.append(...children.filter((child) => child != null && child !== false));
}

/** Sets an attribute. No value and `false` remove it, but in `aria-` the words `true` and `false` are values. */
export function set(element: Element, name: string, value: Value): void {
  const isWord = typeof value === 'boolean' && !name.startsWith('aria-');
  const text = isWord ? (value ? '' : undefined) : value;
  if (text == null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== `${text}`) element.setAttribute(name, `${text}`);
}

/** Calls `act` on events that do not cancel; listeners that scroll or press keys get the event first. */
export function on<K extends keyof GlobalEventHandlersEventMap>(
  target: EventTarget,
  kind: K,
  act: (event: GlobalEventHandlersEventMap[K]) => void,
  isPassive = false,
): void {
  target.addEventListener(kind, act as EventListener, { passive: isPassive });
}

/** Calls `press` with keys that have no modifier; a key that it answers does nothing else. */
export function onKeys(target: EventTarget, press: (key: string, event: KeyboardEvent) => unknown): void {
  on(target, 'keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (press(event.key, event)) event.preventDefault();
  });
}

/** The element with an attribute that an event is in, and the number in it. */
export function numberAt(event: Event, attribute: string): number | undefined {
  const found = event.target instanceof Element && event.target.closest(`[${attribute}]`);
  return found ? Number(found.getAttribute(attribute)) : undefined;
}

/** Calls `act` when the size of an element changes, with its height. */
export function onResize(element: Element, act: (height: number) => void): void {
  new ResizeObserver(([entry]) => act(entry?.contentRect.height ?? 0)).observe(element);
}

/** A button with a hook for scripts. A sign that is no word gets the hint as its name. */
export function button(action: string, sign: string, hint: string, press: () => void): HTMLButtonElement {
  const name = /^\W*$/.test(sign) ? hint : undefined;
  const made = el('button', { type: 'button', 'data-action': action, title: hint, 'aria-label': name }, sign);
  on(made, 'click', press);
  return made;
}

/** Buttons at the end of a header. */
export function tools(...buttons: Node[]): HTMLElement {
  return el('span.tools', {}, ...buttons);
}

/** A choice of one of several names. */
export function choice(label: string, names: string[], chosen: number, pick: (index: number) => void): HTMLElement {
  const made = el('select', { 'aria-label': label }, ...names.map((name, i) => el('option', { selected: i === chosen }, name)));
  on(made, 'change', () => pick(made.selectedIndex));
  return made;
}

/** The words that are there, in one text. */
export function joined(separator: string, ...words: Value[]): string {
  return words.filter((word) => word).join(separator);
}

/** A counted noun: `1 line`, `2 lines`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? noun : plural}`;
}

/** `value`, or the nearest number from `least` to `most`; `least` if there is none. */
export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

/** Runs `work` before the next frame, once for any number of calls. */
export function inNextFrame(work: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      work();
    });
  };
}

/** Does slices of work for 8 ms at a time, and lets the page answer between them. Stops when `isStale` says so. */
export function inSlices(step: () => boolean, isStale: () => boolean, done: () => void): void {
  const run = () => {
    if (isStale()) return;
    const end = performance.now() + 8;
    do {
      if (!step()) return done();
    } while (performance.now() < end);
    setTimeout(run);
  };
  run();
}
