/**
 * Items of the list of passes. One run gives its versions; two runs side by side give pairs of versions, matched by
 * the names of passes in order.
 */
import type { Hunk, Page, Version } from './data';
import { compare, compareIds, startOf } from './diff';
import type { Doc, Documents } from './documents';
import { cached } from './documents';

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
    versions.map(({ name }, index) => cached(ids, index ? name : '', () => ids.size));
  const text = (version: Version | undefined) => version?.parts.map((p) => p.text).join();
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  /** Adds the steps before two versions. A version without a counterpart stands beside the last one of the other run. */
  const upTo = (endA: number, endB: number) => {
    while (i < endA || j < endB) {
      const [isA, isB] = [i < endA, j < endB];
      const [x, y] = [isA ? i++ : Math.max(0, i - 1), isB ? j++ : Math.max(0, j - 1)];
      const [before, after] = [a[x], b[y]];
      const version = isB ? after : before;
      if (!version) continue;
      steps.push({
        name: isA && isB && before?.name !== version.name ? `${before?.name} | ${version.name}` : version.name,
        before: { run: 0, index: x },
        after: { run: 1, index: y },
        changed: text(before) !== text(after),
        parent: undefined,
        version,
        parts: false,
      });
    }
  };
  for (const hunk of compareIds(names(a), names(b))) {
    upTo(startOf(hunk.before), startOf(hunk.after));
    if (hunk.before[1] !== hunk.after[1]) upTo(i + hunk.before[1], j);
    upTo(i + (hunk.before[1] === hunk.after[1] ? hunk.before[1] : 0), j + hunk.after[1]);
  }
  upTo(a.length, b.length);
  if (page.parting) {
    // Names may not pair the versions whose contents part.
    const [atA, atB] = page.parting;
    const parting =
      steps.find(({ before, after }) => before?.index === atA && after.index === atB) ??
      steps.find(({ before, after }) => (before?.index ?? 0) >= atA || after.index >= atB);
    if (parting) parting.parts = true;
  }
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
