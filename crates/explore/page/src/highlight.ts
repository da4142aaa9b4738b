/** Colours of a printed line: a scanner over tokens, with marks for hits of the search and for words that changed. */

import { el } from './dom';

const words = (list: string) => new Set(list.split(' '));

const KEYWORDS: Record<string, Set<string>> = {
  python: words(
    'and as assert async await break class continue def del elif else except finally for from global if import in is ' +
      'lambda nonlocal not or pass raise return try while with yield True False None',
  ),
  c: words(
    'auto break case char class const continue default do double else enum extern false float for if inline int long ' +
      'namespace nullptr register restrict return short signed sizeof static struct switch template true typedef ' +
      'typename union unsigned using void volatile while bool uint32_t int32_t int64_t uint8_t size_t',
  ),
};

/** Tokens after comments: strings, decorators, numbers, definitions, words. */
const tokensWith = (comment: RegExp, definer: string) =>
  new RegExp(
    `(${comment.source})|("(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?)|(@[\\w.]+)|\\b(\\d[\\w.]*)|\\b(${definer}|class)(\\s+)(\\w+)|\\b([a-z_A-Z]\\w*)`,
    'g',
  );
const PYTHON = tokensWith(/#.*/, 'def');
const C = tokensWith(/\/\/.*|\/\*.*?(?:\*\/|$)|^\s*#.*/, 'struct');
/** Modules of dialects. */
const DIALECT = /^(?:I|T|R|Tx|TX)$/;
/** Lines beyond this length have no colours. */
const LONGEST = 4_000;

/** Start, end and class of a piece of a line. */
export type Span = [number, number, string];

function scan(line: string, language: string): Span[] {
  const spans: Span[] = [];
  const keywords = KEYWORDS[language];
  if (!keywords || line.length > LONGEST) return spans;
  const isC = language === 'c';
  for (const match of line.matchAll(isC ? C : PYTHON)) {
    const [all, comment, string, decorator, number, definer, space = '', , word = ''] = match;
    const at = match.index;
    const end = at + all.length;
    if (definer) {
      const defined = at + definer.length;
      spans.push([at, defined, 'k'], [defined + space.length, end, 'f']);
      continue;
    }
    const isDialect = !isC && DIALECT.test(word) && line[end] === '.';
    const dotted = isDialect ? end + (/^[\w.]*/.exec(line.slice(end))?.[0].length ?? 0) : end;
    const kind = comment ? 'c' : string ? 's' : decorator || isDialect ? 'd' : number ? 'm' : keywords.has(word) && 'k';
    if (kind) spans.push([at, dotted, kind]);
  }
  // A dotted name covers the words after its dots.
  return spans.filter(([start], i) => i === 0 || start >= (spans[i - 1]?.[1] ?? 0));
}

/** Fills `target` with a line; its text content is exactly the line. `marks` may overlap the tokens, not each other. */
export function paintLine(target: HTMLElement, line: string, language: string, marks: Span[]): void {
  const tokens = scan(line, language);
  if (!tokens.length && !marks.length) {
    target.textContent = line;
    return;
  }
  const cuts = new Set([0, line.length]);
  for (const [start, end] of [...tokens, ...marks]) cuts.add(start).add(end);
  const at = [...cuts].sort((a, b) => a - b);
  let token = 0;
  let mark = 0;
  const pieces: (Node | string)[] = [];
  for (let i = 0; i + 1 < at.length; i++) {
    const start = at[i] ?? 0;
    const text = line.slice(start, at[i + 1]);
    while ((tokens[token]?.[1] ?? Infinity) <= start) token++;
    while ((marks[mark]?.[1] ?? Infinity) <= start) mark++;
    const names = [tokens[token], marks[mark]].flatMap((span) => (span && span[0] <= start ? [span[2]] : []));
    if (!names.length) {
      pieces.push(text);
      continue;
    }
    pieces.push(el(names.includes('hit') ? 'mark' : 'i', { class: names.join(' ') }, text));
  }
  target.replaceChildren(...pieces);
}
