/** Facts about a step in a line: phase, time, nodes, checks, changes. */
import type { Hunk, Version } from './data';
import { counted, el } from './dom';
import { time } from './passes';
import type { Step } from './steps';

/** Elements with the facts; `before` is the version that the step is compared with. */
export function factsOf(index: number, step: Step, before: Version | undefined, hunks: Hunk[], isPinned: boolean): Node[] {
  const { phase, ms, nodes, sourced, wellFormed, readsBack, inferred } = step.version;
  const facts: Node[] = [el('b', {}, `${index} ${step.name}`)];
  const fact = (text: string | null | undefined | false, kind?: string, title?: string) => {
    if (text) facts.push(el('span', { class: kind, title }, text));
  };
  const check = (value: boolean | null | undefined, good: string, bad: string) =>
    fact(value != null && (value ? good : bad), value ? 'good' : 'bad');
  fact(phase);
  fact(ms != null && time(ms));
  if (nodes != null) {
    const more = nodes - (before?.nodes ?? nodes);
    fact(counted(nodes, 'node') + (more ? ` (${more > 0 ? '+' : '−'}${Math.abs(more).toLocaleString('en')})` : ''));
    const share = sourced != null && nodes > 0 && `${Math.floor((100 * sourced) / nodes)}% with a source`;
    fact(share, undefined, counted(sourced ?? 0, 'node'));
  }
  check(wellFormed, 'well-formed', 'not well-formed');
  check(readsBack, 'reads back', 'does not read back');
  const reason = 'The texts have no spans: lines were matched with those of the version before.';
  fact(inferred && 'links inferred', 'note', reason);
  fact(step.parts && 'the runs part here', 'bad');
  const kinds = new Map<string, number>();
  for (const { kind } of hunks) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  fact(index > 0 && !kinds.size && 'no change');
  for (const [kind, count] of kinds) fact(`${count} ${kind}`, `kind ${kind}`);
  const notes = hunks.flatMap(({ note }) => note || []);
  fact(notes.slice(0, 3).join('; ') + (notes.length > 3 ? '; …' : ''), 'note', notes.slice(0, 40).join('\n'));
  fact(isPinned && 'compared with a pinned version', 'note');
  return facts;
}
