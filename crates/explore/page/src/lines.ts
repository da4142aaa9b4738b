/**
 * Rows of equal height of which only those in sight are in the page.
 *
 * Browsers cap the height of an element, so a list that is higher than `TALLEST` scrolls faster than its bar.
 */
import { inNextFrame } from './dom';

/** Height in pixels of the highest list that scrolls one to one. */
const TALLEST = 8_000_000;
/** Rows beyond the edges that are kept, so that scrolling does not flash. */
const SPARE = 8;
/** Height in pixels that is assumed for a list that is not shown, and the most that is filled. */
const HIDDEN = 400;
const HIGHEST = 1_800;

export class Rows {
  private readonly shown = new Map<number, HTMLElement>();
  private readonly layer = document.createElement('div');
  private count = 0;
  /** Pixels from the first row to the upper edge. Kept here, because asking the browser makes it lay the page out. */
  offset = 0;
  private view = HIDDEN;
  /** `true` while the place of the scroll bar is out of date. */
  private isMoved = false;
  private byBar = false;
  /** A row in sight that a change of the height does not put out of sight. */
  kept = -1;
  /** Moves the scroll bar and paints in the next frame. */
  readonly later: () => void;

  /**
   * `make` makes the row of an index that begins with 0; `painted` is called after each change of what is in sight, with
   * `true` if the scroll bar moved. Lists of up
   * to `whole` rows are in the page as a whole.
   */
  constructor(
    readonly scroller: HTMLElement,
    readonly height: number,
    private readonly make: (index: number) => HTMLElement,
    private readonly painted: (byBar: boolean) => void = () => {},
    private readonly whole = 0,
  ) {
    this.later = inNextFrame(() => {
      if (this.isMoved) scroller.scrollTop = this.offset / this.ratio;
      this.isMoved = false;
      this.paint();
      this.byBar = false;
    });
    this.layer.className = 'rows';
    this.layer.setAttribute('role', 'presentation');
    scroller.append(this.layer);
    scroller.addEventListener('scroll', () => this.scrolled(), { passive: true });
    new ResizeObserver(() => {
      const isKept = this.isInSight(this.kept);
      this.view = Math.min(scroller.clientHeight || HIDDEN, HIGHEST);
      if (isKept) this.reveal(this.kept);
      this.later();
    }).observe(scroller);
  }

  private get full(): number {
    return this.count * this.height;
  }

  /** Pixels of the list per pixel of the scroll bar. */
  private get ratio(): number {
    return this.full <= TALLEST ? 1 : (this.full - this.view) / (TALLEST - this.view);
  }

  private scrolled(): void {
    if (this.isMoved) return;
    const top = this.scroller.scrollTop;
    // A bar that stands where it was put, to the pixel, did not move.
    if (Math.abs(top - this.offset / this.ratio) >= 1) {
      this.offset = top * this.ratio;
      this.byBar = true;
    }
    this.later();
  }

  /** Index of the row at the upper edge, with the part that is out of sight. */
  get top(): number {
    return this.offset / this.height;
  }

  /** Number of rows in sight. */
  get visible(): number {
    return this.view / this.height;
  }

  /** Replaces all rows. */
  reset(count: number, widthInCharacters?: number): void {
    this.layer.replaceChildren();
    this.shown.clear();
    this.count = count;
    this.layer.style.height = `${Math.min(this.full, TALLEST)}px`;
    if (widthInCharacters !== undefined) this.layer.style.minWidth = `${widthInCharacters}ch`;
    this.scrollTo(this.top);
  }

  paint(): void {
    const { height, offset } = this;
    const isWhole = this.count <= this.whole;
    const first = isWhole ? 0 : Math.max(0, Math.floor(offset / height) - SPARE);
    const end = isWhole ? this.count : Math.min(this.count, Math.ceil((offset + this.view) / height) + SPARE);
    for (const [index, row] of this.shown) {
      if (index < first || index >= end) {
        row.remove();
        this.shown.delete(index);
      }
    }
    const shift = this.full > TALLEST ? offset / this.ratio - offset : 0;
    const made = document.createDocumentFragment();
    for (let index = first; index < end; index++) {
      let row = this.shown.get(index);
      if (!row) {
        row = this.make(index);
        this.shown.set(index, row);
        made.append(row);
      }
      row.style.top = `${index * height + shift}px`;
    }
    this.layer.append(made);
    this.painted(this.byBar);
  }

  /** Visits the rows that are in the page. */
  each(visit: (row: HTMLElement, index: number) => void): void {
    for (const [index, row] of this.shown) visit(row, index);
  }

  /** Scrolls so that the row at `top`, which may be a fraction, is at the upper edge. */
  scrollTo(top: number): void {
    this.offset = Math.max(0, Math.min(top * this.height, this.full - this.view));
    this.isMoved = true;
    this.paint();
    this.later();
  }

  private isInSight(index: number): boolean {
    return index >= this.top && index + 1 <= this.top + this.visible;
  }

  /** Scrolls a row into sight, to a third of the height, unless it is in sight. */
  reveal(index: number, always = false): void {
    if (always || !this.isInSight(index)) this.scrollTo(index - this.visible / 3);
  }
}
