/** Puts the page together, and keeps what it shows in step with the state. */
import { format, parse } from './address';
import type { GraphNode, Page } from './data';
import { readPage } from './data';
import { documentsOf } from './documents';
import { append, button, clamp, counted, el, on, onKeys, set } from './dom';
import { factsOf } from './facts';
import { graphView } from './graph';
import { helpDialog, lineDialog } from './help';
import { historyPanel } from './history';
import type { Keys } from './keys';
import { listen } from './keys';
import type { Relatives } from './links';
import { describe, history, relativesOf } from './links';
import { passList } from './passes';
import { scheduleView } from './schedules';
import { countHits } from './search';
import { LAYOUT_NAMES, LAYOUTS, VIEWS } from './state';
import type { PaneName, State } from './state';
import { BOTH, stepsOf } from './steps';
import type { Step } from './steps';
import { textPanes } from './texts';

function show(page: Page): void {
  const documents = documentsOf(page);
  const usual = firstState(page);
  let state = usual;
  let steps: Step[] = [];
  let relatives: Relatives | undefined;
  /** Counts of histories and searches, so that one that is late is dropped. */
  let choices = 0;
  let searches = 0;
  let hits: number[] = [];
  /** Line of the hit that was gone to last. */
  let lastHit = 0;

  /** All keys, in the order in which the help lists them. */
  const keys: Keys = [
    ['j', 'next pass', () => toStep(passes.neighbour(1))],
    ['k', 'previous pass', () => toStep(passes.neighbour(-1))],
    ['n', 'next change, in this pass or a later one', () => toChange(1)],
    ['p', 'previous change', () => toChange(-1)],
    ['c', 'only passes that changed something', toggleOnly],
    ['f', 'fold passes that ran inside others', () => passes.toggleFolds()],
    ['← →', 'in the list: fold and unfold one pass'],
    ['↑ ↓ PgUp PgDn Home End', 'in the list: passes; in a text: lines, with their relatives; in a graph: nodes'],
    [']', 'next linked line', () => texts.toLinked(1)],
    ['[', 'previous linked line', () => texts.toLinked(-1)],
    ['g', 'go to a line', () => goLine.showModal()],
    ['/', 'search all versions; Enter and Shift+Enter go through the hits', () => field.select()],
    ['d', 'which panes are shown', nextLayout],
    ['b', 'compare with this version from now on, or with the one before again', togglePin],
    ['h', 'history of the line', toggleHistory],
    ['1 2 3', 'text, graph, schedules', ...VIEWS.map((view, i) => () => tabs[i] && update({ view }))],
    ['+ - 0', 'in a graph: zoom; Enter opens a namespace, Backspace leaves it'],
    [', .', 'previous and next record of a schedule', () => nextRecord(-1), () => nextRecord(1)],
    ['l', 'focus the list of passes', () => passes.focus()],
    ['t', 'light or dark', toggleTheme],
    ['?', 'this help', showHelp],
    ['Esc', 'close, clear the search, then the marks'],
  ];
  const texts = textPanes(documents, choose, toChange, togglePin);
  const { after } = texts.panes;
  const passes = passList(toStep, toggleOnly, (folded) => update({ folded }));
  const forms = historyPanel((step, line) => {
    toStep(step);
    if (line) after.rows.reveal(line - 1);
  }, toggleHistory);
  const graph = page.graphs.length ? graphView(page, chooseNode, (graph) => update({ graph, node: undefined })) : undefined;
  const schedules = page.schedules.length
    ? scheduleView(page, documents, toRecord, (schedule) => update({ schedule, record: undefined }))
    : undefined;
  const help = helpDialog(keys, page.notes);
  const goLine = lineDialog((line) => goTo('after', line));
  const field = el('input', {
    type: 'search',
    'aria-label': 'Search all versions',
    placeholder: 'Search all versions  /',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const found = el('output', { 'data-hits': 0 });
  const linked = el('span');
  const facts = el('div.facts', { role: 'status' });
  const failure = el('pre.failure', { tabindex: 0, role: 'note', 'aria-label': 'Error' });
  const tabs = VIEWS.map((view, i) => {
    const name = ['Text', 'Graph', 'Schedules'][i] ?? '';
    const isThere = [true, graph, schedules][i];
    return isThere ? button(`view-${view}`, name, `${name} (${i + 1})`, () => update({ view })) : undefined;
  });
  const runs = [...page.runs.map(({ name }, i) => `${'AB'[i]} ${name}`), 'A | B'].map((name, mode) =>
    button('run', name, mode === BOTH ? 'Both runs side by side' : `Run ${name}`, () =>
      update({ mode, step: 0, base: undefined, folded: [] }),
    ),
  );
  build();

  function build(): void {
    const group = (name: string, buttons: (HTMLElement | undefined)[]) =>
      buttons.filter((made) => made).length > 1 && el('div.tabs', { role: 'group', 'aria-label': name }, ...buttons);
    const header = el(
      'header.bar',
      {},
      el('h1', { title: page.title }, page.title),
      group('Run', page.runs.length > 1 ? runs : []),
      group('View', tabs),
      el('span.search', { role: 'search' }, field, found),
      button('previous-hit', '‹', 'Previous hit (Shift+Enter in the search)', () => toHit(-1)),
      button('next-hit', '›', 'Next hit (Enter in the search)', () => toHit(1)),
      button('theme', '◐', 'Light or dark (t)', toggleTheme),
      button('help', '?', 'Keys and signs (?)', showHelp),
    );
    const main = el('main', {}, facts, failure, texts.root, schedules?.root, forms.root);
    const hasGraph = schedules != null || page.graphs.some((g) => g.nodes.length > 1);
    append(document.body, header, passes.root, hasGraph && graph?.root, main, help, goLine);
    listen(keys, escape);
    const read = () => {
      replace(parse(location.hash, usual, page), true);
      if (state.line) texts.panes[state.pane].rows.reveal(state.line - 1);
    };
    addEventListener('hashchange', read);
    on(field, 'input', () => update({ query: field.value }));
    onKeys(field, (key, event) => {
      if (key === 'Enter') toHit(event.shiftKey ? -1 : 1);
      return key === 'Enter';
    });
    read();
  }

  /** Shows a changed state, and writes it to the address. A new line or node is a new choice; otherwise its origins are kept. */
  function update(changes: Partial<State>): void {
    replace({ ...state, ...changes }, 'line' in changes || 'node' in changes);
    const address = format(state, usual);
    try {
      window.history.replaceState(null, '', address);
    } catch {
      location.replace(address);
    }
  }

  /** Shows a state. */
  function replace(next: State, isChoice: boolean): void {
    const last = state;
    const isOtherMode = !steps.length || next.mode !== last.mode;
    if (isOtherMode) steps = stepsOf(page, next.mode);
    next.step = clamp(next.step, 0, steps.length - 1);
    state = next;
    const isOtherText = isOtherMode || next.step !== last.step || next.base !== last.base;
    if (isOtherMode || next.changedOnly !== last.changedOnly || `${next.folded}` !== `${last.folded}`) passes.show(steps, next);
    if (isOtherText) showStep();
    showView();
    const isOtherRecord = isOtherMode || next.view !== last.view || next.schedule !== last.schedule || next.record !== last.record;
    if (isOtherRecord && next.view === 'schedules' && next.schedule != null) schedules?.show(next.schedule, next.record);
    if (isChoice) relate();
    else if (isOtherText) keepChoice();
    texts.mark(relatives, next);
    markGraph();
    countLinked();
    if (isOtherMode || next.query !== last.query) startSearch();
    if (isOtherText) texts.scrollToChange();
    else if (isChoice) texts.scrollToRelatives(next);
    if (isOtherText) lastHit = 0;
    if (isOtherText || isChoice || next.history !== last.history || next.view !== last.view) showHistory();
  }

  /** In another version, the chosen line is its first relative there. */
  function keepChoice(): void {
    if (state.line == null && !relatives) return;
    const doc = texts.panes[state.pane].doc();
    if (state.node == null && state.pane !== 'source') state.line = doc && relatives?.lines(doc)[0];
    if (!relatives?.ids.length) relatives = undefined;
  }

  function showStep(): void {
    const step = steps[state.step];
    if (!step) return;
    texts.show(step, state.mode, state.base);
    passes.select(state.step);
    const ref = state.base ?? step.before;
    const before = ref && page.runs[ref.run]?.versions[ref.index];
    facts.replaceChildren();
    const [name, ...more] = factsOf(state.step, step, before, texts.hunks(), !!state.base);
    append(facts, name, linked, ...more);
    failure.textContent = step.version.error ?? '';
    failure.hidden = !step.version.error;
  }

  function showView(): void {
    const { view, layout, mode, base } = state;
    set(document.body, 'data-view', view);
    set(document.body, 'data-panes', layout);
    set(texts.root, 'aria-label', `Texts: ${LAYOUT_NAMES[layout]}`);
    tabs.forEach((tab, i) => tab && set(tab, 'aria-pressed', VIEWS[i] === view));
    runs.forEach((tab, i) => set(tab, 'aria-pressed', i === mode));
    set(texts.pin, 'aria-pressed', !!base);
    graph?.show(state.graph);
  }

  /** Finds the origins of what is chosen. */
  function relate(): void {
    relatives = undefined;
    const node = page.graphs[state.graph]?.nodes.find(({ name }) => name === state.node);
    let ids = node?.origins;
    if (!ids?.length) {
      const doc = texts.panes[state.pane].doc();
      if (!doc || (state.line ?? 0) > doc.count) state.line = undefined;
      ids = doc && state.line != null ? doc.origins(state.line) : undefined;
    }
    if (ids) relatives = relativesOf(ids);
  }

  function markGraph(): void {
    const { line, node, pane } = state;
    const isLine = line != null && node == null && page.graphs[state.graph]?.kind === 'calls';
    const inside = isLine ? texts.panes[pane].doc()?.functionAt(line) : undefined;
    graph?.mark(
      node,
      ({ origins, function: own }) => origins.some((id) => relatives?.has(id)) || (inside != null && own === inside),
    );
  }

  /** Says how many lines are related to the choice. */
  function countLinked(): void {
    const counts = (['source', 'before', 'after'] as const).map((name) => `${texts.panes[name].marks().linked.length} in ${name}`);
    linked.hidden = !relatives;
    linked.textContent = relatives ? `linked lines: ${counts.join(', ')}` : '';
  }

  function showHistory(): void {
    const choice = ++choices;
    const shown = state.history && state.view !== 'schedules' ? relatives : undefined;
    forms.root.hidden = !shown;
    if (!shown) return;
    const docOf = ({ after }: Step) => documents.version(after.run, after.index);
    const { ids } = shown;
    const origins = ids.slice(0, 3).flatMap((id) => page.origins[id] ?? []).map((origin) => describe(origin, page));
    if (ids.length > 3) origins.push(`${ids.length - 3} more`);
    const words = ids.length ? `from ${origins.join(', ')}` : 'no known origin';
    history(shown, steps, docOf, () => choice !== choices, (all) => {
      forms.show(all, steps.map(({ name }) => name), state.step, words);
    });
  }

  /** Chooses a line as a click does. */
  function choose(pane: PaneName, line: number): void {
    if (line <= (texts.panes[pane].doc()?.count ?? 0)) update({ line, pane, node: undefined });
  }

  function goTo(pane: PaneName, line: number): void {
    choose(pane, line);
    if (state.line === line) texts.panes[pane].rows.reveal(line - 1);
  }

  /** Chooses a node: its lines are marked, or the function that it stands for; its schedule is shown. */
  function chooseNode({ name, origins, function: own, schedule }: GraphNode): void {
    const line = own && !origins.length ? after.doc()?.lineOf(own) : undefined;
    const changes: Partial<State> = { node: name, line, pane: line ? 'after' : state.pane };
    if (schedule != null) Object.assign(changes, { schedule, record: undefined, view: 'schedules' });
    else if (state.view === 'schedules') changes.view = usual.view === 'schedules' ? 'text' : usual.view;
    update(changes);
    if (line) after.rows.reveal(line - 1);
  }

  function toStep(step: number | undefined): void {
    if (step != null && step !== state.step) update({ step });
  }

  /** To the next change of this step, or of the next step with changes. */
  function toChange(by: number): void {
    if (texts.toChange(by)) return;
    const changed = passes.listed().filter((s) => steps[s]?.changed);
    toStep(by > 0 ? changed.find((s) => s > state.step) : changed.findLast((s) => s < state.step));
  }

  function nextRecord(by: number): void {
    if (state.view === 'schedules') toRecord((state.record ?? recordCount() - 1) + by);
  }

  function toggleOnly(): void {
    update({ changedOnly: !state.changedOnly });
  }

  function toggleHistory(): void {
    update({ history: !state.history });
  }

  function togglePin(): void {
    update({ base: state.base ? undefined : steps[state.step]?.after });
  }

  function nextLayout(): void {
    update({ layout: LAYOUTS[(LAYOUTS.indexOf(state.layout) + 1) % LAYOUTS.length] ?? 'all', view: 'text' });
  }

  function showHelp(): void {
    help.showModal();
  }

  function recordCount(): number {
    return page.schedules[state.schedule ?? -1]?.records.length ?? 0;
  }

  function toRecord(record: number): void {
    const last = recordCount() - 1;
    update({ record: clamp(record, Math.min(1, last), last) });
  }

  /** Clears the search, or leaves its field, or clears the choice. */
  function escape(): void {
    if (state.query || field.value) {
      field.value = '';
      update({ query: '' });
    } else if (document.activeElement === field) field.blur();
    else update({ line: undefined, node: undefined });
  }

  function startSearch(): void {
    const search = ++searches;
    const { query, mode } = state;
    if (field.value !== query) field.value = query;
    set(found, 'aria-busy', true);
    // A version counts once, also where two runs are side by side and one has more passes.
    const seen = new Set<string>();
    const parts = steps.map(({ before, after }) => {
      const refs = mode === BOTH && before ? [before, after] : [after];
      return refs.flatMap(({ run, index }) => {
        const isSeen = seen.has(`${run}.${index}`);
        seen.add(`${run}.${index}`);
        return isSeen ? [] : (page.runs[run]?.versions[index]?.parts ?? []);
      });
    });
    countHits(query, parts, page.texts, () => search !== searches, (counts, total) => {
      hits = counts;
      set(found, 'aria-busy', undefined);
      set(found, 'data-hits', total);
      found.textContent = query && `${counted(total, 'hit')} in ${counted(hits.filter((n) => n).length, 'version')}`;
      passes.mark(hits);
      texts.revealHit(query);
    });
  }

  /** To the next hit, in this version or in a later one. */
  function toHit(by: number): void {
    const count = steps.length;
    let line = state.query ? texts.hit(lastHit, by) : undefined;
    for (let i = 1, { step } = state; line == null && i <= count; i++) {
      const other = (step + by * i + count * i) % count;
      if (!hits[other]) continue;
      toStep(other);
      line = texts.hit(by > 0 ? 0 : Infinity, by);
    }
    if (line == null) return;
    goTo('after', line);
    lastHit = line;
  }
}

function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const theme = dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  dataset['theme'] = theme === 'dark' ? 'light' : 'dark';
}

/** The state without an address: the first change, with the graph for a model that is not a script. */
function firstState(page: Page): State {
  const { runs, graphs, schedules } = page;
  const mode = runs.length > 1 ? BOTH : 0;
  const steps = stepsOf(page, mode);
  const parting = steps.findIndex((step) => step.parts);
  const hasModel = graphs.some(({ kind }) => kind === 'model') && runs.every(({ source }) => !source.length);
  const isRecord = schedules.length && runs.every(({ versions }) => versions.length < 2);
  return {
    mode,
    step: Math.max(0, parting < 0 ? steps.findIndex((step) => step.changed) : parting),
    line: undefined,
    pane: 'after',
    node: undefined,
    graph: 0,
    query: '',
    changedOnly: false,
    view: hasModel ? 'graph' : isRecord ? 'schedules' : 'text',
    layout: 'all',
    base: undefined,
    schedule: schedules.length ? 0 : undefined,
    record: undefined,
    folded: [],
    history: true,
  };
}

async function start(): Promise<void> {
  try {
    show(await readPage());
    set(document.documentElement, 'data-ready', true);
  } catch (error) {
    document.body.append(el('p', { role: 'alert' }, `This page cannot be shown: ${String(error)}`));
  }
}

if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
else void start();
