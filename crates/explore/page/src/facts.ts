/** Facts about a step in a line: phase, time, nodes, checks, changes. */
import type { Hunk, Version } from './data';
import { counted, el } from './dom';
import { time } from './passes';
import type { Step } from './steps';

/** Elements with the facts; `before` is the version that the step is compared with, `remarks` come at the end. */
export function factsOf(index: number, step: Step, before: Version | undefined, hunks: Hunk[], remarks: string[]): Node[] {
  const { version } = step;
  const facts: Node[] = [el('b', {}, `${index} ${step.name}`)];
  const fact = (text: string, kind?: string, title?: string) => facts.push(el('span', { class: kind, title }, text));
  const check = (value: boolean | null | undefined, good: string, bad: string) => {
    if (value != null) fact(value ? good : bad, value ? 'good' : 'bad');
  };
  if (version.phase) fact(version.phase);
  if (version.ms != null) fact(time(version.ms));
  if (version.nodes != null) {
    const more = before?.nodes == null ? 0 : version.nodes - before.nodes;
    const change = more === 0 ? '' : ` (${more > 0 ? '+' : '−'}${Math.abs(more).toLocaleString('en')})`;
    fact(counted(version.nodes, 'node') + change);
    if (version.sourced != null && version.nodes > 0) {
      fact(`${Math.floor((100 * version.sourced) / version.nodes)}% with a source`, undefined, counted(version.sourced, 'node'));
    }
  }
  check(version.wellFormed, 'well-formed', 'not well-formed');
  check(version.readsBack, 'reads back', 'does not read back');
  if (version.inferred) {
    fact('links inferred', 'note', 'The texts have no spans: lines were matched with those of the version before.');
  }
  if (step.parts) fact('the runs part here', 'bad');
  const kinds = new Map<string, number>();
  for (const { kind } of hunks) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  if (index > 0 && !kinds.size) fact('no change');
  for (const [kind, count] of kinds) fact(`${count} ${kind}`, `kind ${kind}`);
  const notes = hunks.flatMap((hunk) => (hunk.note ? [hunk.note] : []));
  if (notes.length) fact(notes.slice(0, 3).join('; ') + (notes.length > 3 ? '; …' : ''), 'note', notes.slice(0, 40).join('\n'));
  for (const remark of remarks) fact(remark, 'note');
  return facts;
}
