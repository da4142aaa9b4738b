/**
 * Items of the list of passes. One run gives its versions; two runs side by side give pairs of versions, matched by
 * the names of passes in order.
 */
import type { Hunk, Page, Version } from './data';
import { compare, compareIds, startOf } from './diff';
import type { Doc, Documents } from './documents';

/** A version by run and index. */
export interface Ref {
  run: number;
  index: number;
}

export interface Step {
  name: string;
  before: Ref | undefined;
  after: Ref;
  changed: boolean;
  /** Index of the step that this one is a part of. */
  parent: number | undefined;
  version: Version;
  /** `true` for the first step where two runs differ. */
  parts: boolean;
}

/** Mode of the page that shows two runs side by side; other modes are the index of a run. */
export const BOTH = 2;

export function stepsOf(page: Page, mode: number): Step[] {
  return mode === BOTH ? pairs(page) : single(page, mode);
}

function single(page: Page, run: number): Step[] {
  const versions = page.runs[run]?.versions ?? [];
  return versions.map((version, index) => ({
    name: version.name,
    before: index > 0 ? { run, index: index - 1 } : undefined,
    after: { run, index },
    changed: index > 0 && version.changed,
    parent: version.inside ?? undefined,
    version,
    parts: page.parting?.[run] === index,
  }));
}

/** The step at `up` and those around it, the innermost first; not endless in bad data. */
export function outerOf(steps: Step[], up: number | undefined): number[] {
  const outer: number[] = [];
  for (; up != null && outer.length < 32; up = steps[up]?.parent) outer.push(up);
  return outer;
}

function pairs(page: Page): Step[] {
  const [a = [], b = []] = page.runs.map((run) => run.versions);
  const ids = new Map<string, number>();
  const names = (versions: Version[]) =>
    versions.map((version, index) => {
      const name = index === 0 ? '' : version.name;
      ids.set(name, ids.get(name) ?? ids.size);
      return ids.get(name) ?? 0;
    });
  const steps: Step[] = [];
  const push = (i: number | undefined, j: number | undefined, lastA: number, lastB: number) => {
    const version = (j === undefined ? a[i ?? 0] : b[j]) ?? a[0];
    if (!version) return;
    const before = a[i ?? lastA];
    const after = b[j ?? lastB];
    const text = (v: Version | undefined) => v?.parts.map((p) => p.text).join();
    steps.push({
      name: (i !== undefined && j !== undefined && a[i]?.name !== b[j]?.name ? `${a[i]?.name} | ` : '') + version.name,
      before: { run: 0, index: i ?? lastA },
      after: { run: 1, index: j ?? lastB },
      changed: text(before) !== text(after),
      parent: undefined,
      version,
      parts: page.parting ? i === page.parting[0] && j === page.parting[1] : false,
    });
  };
  let [i, j] = [0, 0];
  const upTo = (endA: number, endB: number) => {
    while (i < endA && j < endB) push(i, j, i++, j++);
    while (i < endA) push(i, undefined, i++, Math.max(0, j - 1));
    while (j < endB) push(undefined, j, Math.max(0, i - 1), j++);
  };
  for (const hunk of compareIds(names(a), names(b))) {
    while (i < startOf(hunk.before) && j < startOf(hunk.after)) push(i, j, i++, j++);
    if (hunk.before[1] === hunk.after[1]) upTo(i + hunk.before[1], j + hunk.after[1]);
    else {
      upTo(i + hunk.before[1], j);
      upTo(i, j + hunk.after[1]);
    }
  }
  upTo(a.length, b.length);
  return steps;
}

/** Texts of a step, and their differences. */
export interface Comparison {
  before: Doc | undefined;
  after: Doc | undefined;
  hunks: Hunk[];
}

/** Compares a step with the version before, or with `base` if one is pinned. */
export function comparisonOf(step: Step, base: Ref | undefined, documents: Documents): Comparison {
  const ref = base ?? step.before;
  const after = documents.version(step.after.run, step.after.index);
  const before = ref && documents.version(ref.run, ref.index);
  if (!before || !after) return { before, after, hunks: [] };
  const isStored = !base && step.before?.run === step.after.run;
  if (isStored && (step.version.hunks.length || !step.changed)) return { before, after, hunks: step.version.hunks };
  let hunks = compare(before, after);
  if (!hunks.length && isStored) hunks = [{ kind: 'edited', before: [1, 1], after: [1, 1], note: 'only the layout changed' }];
  return { before, after, hunks };
}
