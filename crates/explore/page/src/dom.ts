/** Makes elements. Text enters the page here alone, as text and never as markup. */

type Child = Node | string | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | undefined> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Record<string, string | number | undefined>, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** Sets an attribute, or removes it if there is no value. */
export function set(element: Element, name: string, value: string | number | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/** A button with a hook for scripts. A sign that is no word gets the hint as its name. */
export function button(action: string, sign: string, hint: string, press: () => void): HTMLButtonElement {
  const name = /^\W*$/.test(sign) ? hint : undefined;
  const made = el('button', { type: 'button', 'data-action': action, title: hint, 'aria-label': name }, sign);
  made.addEventListener('click', press);
  return made;
}

/** A counted noun: `1 line`, `2 lines`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? noun : plural}`;
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
