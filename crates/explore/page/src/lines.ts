/**
 * Rows of equal height of which only those in sight are in the page.
 *
 * Browsers cap the height of an element, so a list that is higher than `TALLEST` scrolls faster than its bar.
 */
import { clamp, el, inNextFrame, on, onResize } from './dom';

/** Height in pixels of the highest list that scrolls one to one. */
const TALLEST = 8_000_000;
/** Rows beyond the edges that are kept, so that scrolling does not flash. */
const SPARE = 8;
/** Height in pixels that is assumed for a list that is not shown, and the most that is filled. */
const HIDDEN = 400;
const HIGHEST = 1_800;

/**
 * Puts rows into `scroller`. `make` makes the row of an index that begins with 0; `painted` is called after each change of what is
 * in sight, with `true` if the scroll bar moved. Lists of up to `whole` rows are in the page as a whole.
 */
export function rowsIn(
  scroller: HTMLElement,
  height: number,
  make: (index: number) => HTMLElement,
  painted: (byBar: boolean) => void = () => {},
  whole = 0,
) {
  const shown = new Map<number, HTMLElement>();
  const layer = el('div.rows', { role: 'presentation' });
  let count = 0;
  /** Pixels from the first row to the upper edge. Kept here, because asking the browser makes it lay the page out. */
  let offset = 0;
  let view = HIDDEN;
  /** `true` while the place of the scroll bar is out of date. */
  let isMoved = false;
  let byBar = false;
  let kept = -1;

  const full = () => count * height;
  /** Pixels of the list per pixel of the scroll bar. */
  const ratio = () => (full() <= TALLEST ? 1 : (full() - view) / (TALLEST - view));
  const top = () => offset / height;
  const visible = () => view / height;
  const isInSight = (index: number) => index >= top() && index + 1 <= top() + visible();
  const later = inNextFrame(() => {
    if (isMoved) scroller.scrollTop = offset / ratio();
    isMoved = false;
    paint();
    byBar = false;
  });

  function paint(): void {
    const isWhole = count <= whole;
    const first = isWhole ? 0 : Math.max(0, Math.floor(top()) - SPARE);
    const end = isWhole ? count : Math.min(count, Math.ceil(top() + visible()) + SPARE);
    for (const [index, row] of shown) {
      if (index >= first && index < end) continue;
      row.remove();
      shown.delete(index);
    }
    const shift = full() > TALLEST ? offset / ratio() - offset : 0;
    const made: HTMLElement[] = [];
    for (let index = first; index < end; index++) {
      let row = shown.get(index);
      if (!row) {
        row = make(index);
        shown.set(index, row);
        made.push(row);
      }
      row.style.top = `${index * height + shift}px`;
    }
    layer.append(...made);
    painted(byBar);
  }

  /** Scrolls so that the row at `at`, which may be a fraction, is at the upper edge. */
  function scrollTo(at: number): void {
    offset = Math.max(0, Math.min(at * height, full() - view));
    isMoved = true;
    paint();
    later();
  }

  /** Scrolls a row into sight, to a third of the height, unless it is in sight. */
  function reveal(index: number, always = false): void {
    if (always || !isInSight(index)) scrollTo(index - visible() / 3);
  }

  scroller.append(layer);
  on(
    scroller,
    'scroll',
    () => {
      if (isMoved) return;
      const { scrollTop } = scroller;
      // A bar that stands where it was put, to the pixel, did not move.
      if (Math.abs(scrollTop - offset / ratio()) >= 1) {
        offset = scrollTop * ratio();
        byBar = true;
      }
      later();
    },
    true,
  );
  onResize(scroller, () => {
    const isKept = isInSight(kept);
    view = clamp(scroller.clientHeight || HIDDEN, 0, HIGHEST);
    if (isKept) reveal(kept);
    later();
  });
  return {
    scrollTo,
    reveal,
    offset: () => offset,
    /** Index of the row at the upper edge, with the part that is out of sight. */
    top,
    /** Number of rows in sight. */
    visible,
    /** Keeps a row in sight when the height changes. */
    keep: (index: number) => (kept = index),
    /** Replaces all rows. */
    reset(newCount: number, widthInCharacters = 0): void {
      layer.replaceChildren();
      shown.clear();
      count = newCount;
      layer.style.height = `${Math.min(full(), TALLEST)}px`;
      layer.style.minWidth = widthInCharacters ? `${widthInCharacters}ch` : '';
      scrollTo(top());
    },
    /** Visits the rows that are in the page. */
    each(visit: (row: HTMLElement, index: number) => void): void {
      for (const [index, row] of shown) visit(row, index);
    },
  };
}
