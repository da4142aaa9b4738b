/** Puts the page together, and keeps what it shows in step with the state. */
import { format, parse } from './address';
import { Bands } from './bands';
import type { GraphNode, Page } from './data';
import { readPage } from './data';
import { Alignment, marksOf } from './diff';
import type { Mark } from './diff';
import type { Doc } from './documents';
import { Documents } from './documents';
import { button, counted, el, set } from './dom';
import { GraphView } from './graph';
import { helpDialog, lineDialog } from './help';
import { HistoryPanel } from './history';
import type { Key } from './keys';
import { listen } from './keys';
import { describe, history, Relatives } from './links';
import { Pane } from './pane';
import { Passes, time } from './passes';
import { ScheduleView } from './schedules';
import { hitLines, Search } from './search';
import { LAYOUTS } from './state';
import type { Layout, PaneName, State, View } from './state';
import { BOTH, comparisonOf, stepsOf } from './steps';
import type { Comparison, Step } from './steps';

const LAYOUT_NAMES: Record<Layout, string> = {
  all: 'source, before and after',
  diff: 'before and after',
  source: 'source and after',
  after: 'after alone',
};

class Explorer {
  private readonly documents: Documents;
  private readonly usual: State;
  private state: State;
  private steps: Step[] = [];
  private comparison: Comparison = { before: undefined, after: undefined, hunks: [] };
  private alignment = new Alignment([]);
  private changes: { before: Map<number, Mark>; after: Map<number, Mark> } = { before: new Map(), after: new Map() };
  private relatives: Relatives | undefined;
  /** Counts choices, so that a history that is late is dropped. */
  private choice = 0;

  private readonly panes: Record<PaneName, Pane>;
  private readonly bands: Bands;
  private readonly passes: Passes;
  private readonly graph: GraphView | undefined;
  private readonly schedules: ScheduleView | undefined;
  private readonly history: HistoryPanel;
  private readonly search = new Search();
  private readonly field = el('input', { type: 'search', 'aria-label': 'Search all versions', placeholder: 'Search all versions  /', spellcheck: 'false', autocomplete: 'off' });
  private readonly hits = el('output', { 'data-hits': 0 });
  private readonly facts = el('div', { class: 'facts', role: 'status' });
  private readonly failure = el('pre', { class: 'failure', tabindex: 0, role: 'note', 'aria-label': 'Error' });
  private readonly tabs = new Map<View, HTMLButtonElement>();
  private readonly runs: HTMLButtonElement[] = [];
  private readonly pin: HTMLButtonElement;
  private readonly help: HTMLDialogElement;
  private readonly goLine: HTMLDialogElement;
  private readonly main = el('main');

  constructor(private readonly page: Page) {
    this.documents = new Documents(page);
    this.usual = this.firstState();
    this.state = parse(location.hash, this.usual, page);
    this.panes = {
      source: this.pane('source', 'Source'),
      before: this.pane('before', 'Before'),
      after: this.pane('after', 'After'),
    };
    this.bands = new Bands(this.panes.before, this.panes.after);
    this.pin = button('pin', 'pin', 'Compare with this version from now on (b)', () => this.togglePin());
    this.panes.before.header.append(this.pin);
    const changes = el(
      'span',
      { class: 'tools' },
      button('previous-change', '↑', 'Previous change (p)', () => this.toChange(-1)),
      button('next-change', '↓', 'Next change (n)', () => this.toChange(1)),
    );
    this.panes.after.header.append(changes);
    this.passes = new Passes(
      (step) => this.toStep(step),
      () => this.update({ changedOnly: !this.state.changedOnly }),
    );
    this.history = new HistoryPanel(
      (step, line) => {
        this.toStep(step);
        if (line !== undefined) this.panes.after.rows.reveal(line - 1);
      },
      () => this.update({ history: false }),
    );
    if (page.graphs.length) {
      const open = (graph: number) => this.update({ graph, node: undefined });
      this.graph = new GraphView(page, (node) => this.chooseNode(node), open);
    }
    if (page.schedules.length) {
      this.schedules = new ScheduleView(page, this.documents, (record) => this.toRecord(record));
    }
    const keys = this.keys();
    this.help = helpDialog(keys, page.notes);
    this.goLine = lineDialog((line) => this.choose('after', line, true));
    this.build();
    listen(keys, () => this.escape());
    addEventListener('hashchange', () => this.replace(parse(location.hash, this.usual, page), true));
    this.field.addEventListener('input', () => this.update({ query: this.field.value }));
    this.field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.toHit(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') this.escape();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.replace(this.state, true);
  }

  /** The state without an address: the first change, with the graph for a model. */
  private firstState(): State {
    const { page } = this;
    const mode = page.runs.length > 1 ? BOTH : 0;
    const steps = stepsOf(page, mode);
    const parting = steps.findIndex((step) => step.parts);
    const changed = steps.findIndex((step) => step.changed);
    const hasModel = page.graphs.some((graph) => graph.kind === 'model');
    return {
      mode,
      step: Math.max(0, parting >= 0 ? parting : changed),
      line: undefined,
      pane: 'after',
      node: undefined,
      graph: 0,
      query: '',
      changedOnly: false,
      view: hasModel ? 'graph' : page.schedules.length && page.runs.every((run) => run.versions.length < 2) ? 'schedules' : 'text',
      layout: 'all',
      base: undefined,
      schedule: page.schedules.length ? 0 : undefined,
      record: undefined,
      history: true,
    };
  }

  private pane(name: PaneName, label: string): Pane {
    return new Pane(['data-pane', name], label, (line) => this.choose(name, line, false), (byUser) => {
      if (name === 'source') return;
      this.bands?.later();
      if (byUser) this.follow(name);
    });
  }

  private build(): void {
    const { page } = this;
    const tabs = el('div', { class: 'tabs', role: 'group', 'aria-label': 'View' });
    const views: [View, string, string, boolean][] = [
      ['text', 'Text', '1', true],
      ['graph', 'Graph', '2', !!this.graph],
      ['schedules', 'Schedules', '3', !!this.schedules],
    ];
    for (const [view, name, key, exists] of views) {
      if (!exists) continue;
      const tab = button(`view-${view}`, name, `${name} (${key})`, () => this.update({ view }));
      this.tabs.set(view, tab);
      tabs.append(tab);
    }
    const runs = el('div', { class: 'tabs', role: 'group', 'aria-label': 'Run' });
    if (page.runs.length > 1) {
      [...page.runs.map((run, i) => `${'AB'[i] ?? i} ${run.name}`), 'A | B'].forEach((name, mode) => {
        const tab = button('run', name, mode === BOTH ? 'Both runs side by side' : `Run ${name}`, () => this.update({ mode, step: 0, base: undefined }));
        this.runs.push(tab);
        runs.append(tab);
      });
    }
    const header = el(
      'header',
      { class: 'bar' },
      el('h1', { title: page.title }, page.title),
      page.runs.length > 1 ? runs : undefined,
      this.tabs.size > 1 ? tabs : undefined,
      el('span', { class: 'search', role: 'search' }, this.field, this.hits),
      button('previous-hit', '‹', 'Previous hit (Shift+Enter in the search)', () => this.toHit(-1)),
      button('next-hit', '›', 'Next hit (Enter in the search)', () => this.toHit(1)),
      button('theme', '◐', 'Light or dark (t)', toggleTheme),
      button('help', '?', 'Keys and signs (?)', () => this.help.showModal()),
    );
    const texts = el('div', { class: 'texts' }, this.panes.source.root, this.panes.before.root, this.bands.root as unknown as Node, this.panes.after.root);
    this.main.append(this.facts, this.failure, texts);
    if (this.schedules) this.main.append(this.schedules.root);
    this.main.append(this.history.root);
    const parts: Node[] = [header, this.passes.root];
    if (this.graph && (this.usual.view !== 'text' || page.graphs.some((g) => g.nodes.length > 1) || this.schedules)) {
      parts.push(this.graph.root);
    }
    document.body.append(...parts, this.main, this.help, this.goLine);
  }

  private keys(): Key[] {
    const view = (name: View) => () => this.tabs.has(name) && this.update({ view: name });
    return [
      { keys: ['j'], does: 'next pass', press: () => this.toStep(this.passes.neighbour(1)) },
      { keys: ['k'], does: 'previous pass', press: () => this.toStep(this.passes.neighbour(-1)) },
      { keys: ['n'], does: 'next change, in this pass or a later one', press: () => this.toChange(1) },
      { keys: ['p'], does: 'previous change', press: () => this.toChange(-1) },
      { keys: ['c'], does: 'only passes that changed something', press: () => this.update({ changedOnly: !this.state.changedOnly }) },
      { keys: ['f'], does: 'fold passes that ran inside others', press: () => this.passes.toggleFolds() },
      { keys: ['←', '→'], does: 'in the list: fold and unfold one pass' },
      { keys: ['↑', '↓', 'PgUp', 'PgDn', 'Home', 'End'], does: 'in the list: passes; in a text: lines, with their relatives; in a graph: nodes' },
      { keys: [']'], does: 'next linked line', press: () => this.toLinked(1) },
      { keys: ['['], does: 'previous linked line', press: () => this.toLinked(-1) },
      { keys: ['g'], does: 'go to a line', press: () => this.goLine.showModal() },
      { keys: ['/'], does: 'search all versions; Enter and Shift+Enter go through the hits', press: () => this.field.focus() },
      { keys: ['d'], does: 'which panes are shown', press: () => this.nextLayout() },
      { keys: ['b'], does: 'compare with this version from now on, or with the one before again', press: () => this.togglePin() },
      { keys: ['h'], does: 'history of the line', press: () => this.update({ history: !this.state.history }) },
      { keys: ['1', '2', '3'], does: 'text, graph, schedules' },
      { keys: ['+', '-', '0'], does: 'in a graph: zoom; Enter opens a namespace, Backspace leaves it' },
      { keys: [',', '.'], does: 'previous and next record of a schedule' },
      { keys: ['l'], does: 'focus the list of passes', press: () => this.passes.focus() },
      { keys: ['t'], does: 'light or dark', press: toggleTheme },
      { keys: ['?'], does: 'this help', press: () => this.help.showModal() },
      { keys: ['Esc'], does: 'close, clear the search, then the marks' },
      ...hidden({ 1: view('text'), 2: view('graph'), 3: view('schedules'), ',': () => this.stepRecord(-1), '.': () => this.stepRecord(1) }),
    ].filter((key) => key.does || key.press);
  }

  /** Shows a changed state, and writes it to the address. A new line or node is a new choice; otherwise its origins are kept. */
  private update(changes: Partial<State>): void {
    this.replace({ ...this.state, ...changes }, 'line' in changes || 'node' in changes);
    const address = format(this.state, this.usual);
    try {
      window.history.replaceState(null, '', address);
    } catch {
      location.replace(address);
    }
  }

  /** Shows a state. */
  private replace(next: State, isChoice: boolean): void {
    const last = this.state;
    const isFirst = this.steps.length === 0;
    const isOtherMode = isFirst || next.mode !== last.mode;
    if (isOtherMode) this.steps = stepsOf(this.page, next.mode);
    next.step = Math.max(0, Math.min(next.step, this.steps.length - 1));
    this.state = next;
    const isOtherText = isOtherMode || next.step !== last.step || next.base !== last.base;
    if (isOtherMode || next.changedOnly !== last.changedOnly) this.passes.show(this.steps, next.changedOnly);
    if (isOtherText) this.showStep();
    if (isOtherMode || next.query !== last.query) this.startSearch();
    this.showView();
    if (isChoice) this.relate();
    else if (isOtherText) this.keepChoice();
    this.mark();
    if (isOtherText) this.scrollToChange();
    else if (isChoice) this.scrollToRelatives();
    if (isChoice && isOtherText && next.line !== undefined) this.panes[next.pane].rows.reveal(next.line - 1);
    if (isOtherText || isChoice || next.history !== last.history) this.showHistory();
  }

  /** In another version, the chosen line is its first relative there. */
  private keepChoice(): void {
    const { state, relatives } = this;
    const doc = this.doc(state.pane);
    if (state.line === undefined && !relatives) return;
    if (state.node === undefined && state.pane !== 'source') state.line = doc && relatives?.lines(doc)[0];
    if (!relatives?.ids.length) this.relatives = undefined;
  }

  private showStep(): void {
    const { state } = this;
    const step = this.steps[state.step];
    if (!step) return;
    this.comparison = comparisonOf(step, state.base, this.documents);
    const { before, after, hunks } = this.comparison;
    this.alignment = new Alignment(hunks);
    this.changes = {
      before: marksOf(hunks, 'before', before?.count ?? 0),
      after: marksOf(hunks, 'after', after?.count ?? 0),
    };
    const isBoth = state.mode === BOTH;
    const run = isBoth ? 0 : state.mode;
    const name = (ref: { run: number; index: number } | undefined) => {
      const found = ref && this.page.runs[ref.run]?.versions[ref.index];
      return !found ? '' : isBoth ? `${'AB'[ref.run]} · ${ref.index} ${found.name}` : `${ref.index} ${found.name}`;
    };
    const hasSource = (this.page.runs[run]?.source.length ?? 0) > 0;
    this.panes.source.show(this.documents.source(run), hasSource ? (this.page.runs[run]?.name ?? '') : 'the input');
    this.panes.before.show(before, name(state.base ?? step.before), 'Nothing stands before the input.');
    this.panes.after.show(after, name(step.after));
    this.passes.select(state.step);
    this.showFacts(step);
  }

  private showFacts(step: Step): void {
    const { version } = step;
    const before = step.before && this.page.runs[step.before.run]?.versions[step.before.index];
    const facts: (Node | string)[] = [el('b', {}, `${this.state.step} ${step.name}`)];
    const fact = (text: string, kind?: string, title?: string) => facts.push(el('span', { class: kind, title }, text));
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
    if (version.wellFormed != null) fact(version.wellFormed ? 'well-formed' : 'not well-formed', version.wellFormed ? 'good' : 'bad');
    if (version.readsBack != null) fact(version.readsBack ? 'reads back' : 'does not read back', version.readsBack ? 'good' : 'bad');
    if (version.inferred) fact('links inferred', 'note', 'The texts have no spans: lines were matched with those of the version before.');
    if (step.parts) fact('the runs part here', 'bad');
    if (this.state.base) fact('compared with a pinned version', 'note');
    const kinds = new Map<string, number>();
    for (const { kind } of this.comparison.hunks) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (this.state.step > 0 && !kinds.size) fact('no change');
    for (const [kind, count] of kinds) fact(`${count} ${kind}`, `kind ${kind}`);
    const notes = this.comparison.hunks.flatMap((hunk) => (hunk.note ? [hunk.note] : []));
    if (notes.length) fact(notes.slice(0, 3).join('; ') + (notes.length > 3 ? '; …' : ''), 'note', notes.slice(0, 40).join('\n'));
    this.facts.replaceChildren(...facts);
    this.failure.textContent = version.error ?? '';
    this.failure.hidden = !version.error;
  }

  private showView(): void {
    const { state } = this;
    set(document.body, 'data-view', state.view);
    set(document.body, 'data-panes', state.layout);
    this.tabs.forEach((tab, view) => set(tab, 'aria-pressed', String(view === state.view)));
    this.runs.forEach((tab, mode) => set(tab, 'aria-pressed', String(mode === state.mode)));
    set(this.pin, 'aria-pressed', String(state.base !== undefined));
    this.graph?.show(state.graph);
    if (state.view === 'schedules' && state.schedule !== undefined) this.schedules?.show(state.schedule, state.record);
  }

  private doc(pane: PaneName): Doc | undefined {
    return this.panes[pane].doc;
  }

  /** Finds the origins of what is chosen. */
  private relate(): void {
    const { state } = this;
    this.choice++;
    this.relatives = undefined;
    if (state.node !== undefined) {
      const node = this.page.graphs[state.graph]?.nodes.find((n) => n.name === state.node);
      if (node?.origins.length) {
        this.relatives = new Relatives(this.documents, node.origins);
        return;
      }
    }
    const doc = this.doc(state.pane);
    if (!doc || (state.line ?? 0) > doc.count) state.line = undefined;
    if (!doc || state.line === undefined) return;
    this.relatives = new Relatives(this.documents, doc.origins(state.line));
  }

  private linked(pane: PaneName): number[] {
    const { state } = this;
    const doc = this.doc(pane);
    if (!doc) return [];
    const lines = this.relatives?.lines(doc) ?? [];
    const own = state.pane === pane ? state.line : undefined;
    if (own === undefined || own > doc.count || lines.includes(own)) return lines;
    return [...lines, own].sort((a, b) => a - b);
  }

  private mark(): void {
    const { state, panes, comparison, changes } = this;
    const marks = (name: PaneName) => ({
      changes: name === 'source' ? NOTHING : changes[name],
      other: name === 'before' ? comparison.after : name === 'after' ? comparison.before : undefined,
      linked: this.linked(name),
      caret: state.pane === name ? state.line : undefined,
      query: state.query,
    });
    for (const name of ['source', 'before', 'after'] as const) panes[name].mark(marks(name));
    this.bands.show(comparison.hunks, [panes.before.marks.linked, panes.after.marks.linked]);
    const functions = new Set<string>();
    const isChosen = state.line !== undefined && state.node === undefined;
    const chosen = isChosen ? this.doc(state.pane)?.functionAt(state.line ?? 0) : undefined;
    if (chosen) functions.add(chosen);
    this.graph?.mark(state.node, (node) =>
      node.origins.some((id) => this.relatives?.has(id)) || (node.function != null && functions.has(node.function)),
    );
  }

  private showHistory(): void {
    const { state, relatives, steps } = this;
    const isShown = state.history && !!relatives && state.view !== 'schedules';
    this.history.root.hidden = !isShown;
    if (!isShown || !relatives) return;
    const { choice } = this;
    const docs = steps.map((step) => this.documents.version(step.after.run, step.after.index));
    const origins = relatives.ids.slice(0, 3).map((id) => {
      const origin = this.page.origins[id];
      return origin ? describe(origin, this.page) : '';
    });
    if (relatives.ids.length > 3) origins.push(`${relatives.ids.length - 3} more`);
    const words = origins.length ? `from ${origins.join(', ')}` : 'no known origin';
    history(relatives, docs, () => choice !== this.choice, (forms) => {
      this.history.show(forms, steps.map((step) => step.name), this.state.step, words);
    });
  }

  /** Chooses a line as a click does. */
  private choose(pane: PaneName, line: number, isShown: boolean): void {
    if (line > (this.doc(pane)?.count ?? 0)) return;
    this.update({ line, pane, node: undefined });
    if (isShown) this.panes[pane].rows.reveal(line - 1);
  }

  private chooseNode(node: GraphNode): void {
    const line = node.function == null ? undefined : this.doc('after')?.lineOf(node.function);
    const changes: Partial<State> = { node: node.name, line: undefined };
    if (!node.origins.length && line !== undefined) Object.assign(changes, { line, pane: 'after' });
    if (node.schedule != null) Object.assign(changes, { schedule: node.schedule, record: undefined, view: 'schedules' });
    this.update(changes);
    if (line !== undefined) this.panes.after.rows.reveal(line - 1);
  }

  private toStep(step: number | undefined): void {
    if (step !== undefined && step !== this.state.step) this.update({ step });
  }

  private toRecord(record: number): void {
    const count = this.page.schedules[this.state.schedule ?? -1]?.records.length ?? 0;
    this.update({ record: Math.max(Math.min(1, count - 1), Math.min(record, count - 1)) });
  }

  private stepRecord(by: number): void {
    const count = this.page.schedules[this.state.schedule ?? -1]?.records.length ?? 0;
    if (this.state.view === 'schedules') this.toRecord((this.state.record ?? count - 1) + by);
  }

  private nextLayout(): void {
    const next = LAYOUTS[(LAYOUTS.indexOf(this.state.layout) + 1) % LAYOUTS.length] ?? 'all';
    this.update({ layout: next, view: 'text' });
    this.facts.append(el('span', { class: 'note' }, `panes: ${LAYOUT_NAMES[next]}`));
    this.scrollToChange();
  }

  private togglePin(): void {
    this.update({ base: this.state.base ? undefined : this.steps[this.state.step]?.after });
  }

  private escape(): void {
    if (this.state.query || this.field.value) {
      this.field.value = '';
      this.update({ query: '' });
    } else if (document.activeElement === this.field) this.field.blur();
    else this.update({ line: undefined, node: undefined });
  }

  // Search

  private startSearch(): void {
    const { query } = this.state;
    if (this.field.value !== query) this.field.value = query;
    this.hits.setAttribute('aria-busy', 'true');
    const parts = this.steps.map(({ after }) => this.page.runs[after.run]?.versions[after.index]?.parts ?? []);
    this.search.start(query, parts, this.page.texts, () => {
      this.hits.removeAttribute('aria-busy');
      this.hits.setAttribute('data-hits', String(this.search.total));
      const versions = this.search.hits.filter((n) => n > 0).length;
      this.hits.textContent = query ? `${counted(this.search.total, 'hit')} in ${counted(versions, 'version')}` : '';
      this.passes.mark(this.search.hits);
      const doc = this.doc('after');
      const first = doc && query ? hitLines(doc, query)[0] : undefined;
      if (first !== undefined && !this.isHitInSight()) this.panes.after.rows.reveal(first - 1);
    });
  }

  private isHitInSight(): boolean {
    return this.panes.after.root.querySelector('mark') !== null;
  }

  /** Line of the hit that was gone to last. */
  private hit = 0;

  private toHit(by: number): void {
    const { query, step } = this.state;
    const doc = this.doc('after');
    if (!query || !doc || !this.search.total) return;
    const lines = hitLines(doc, query);
    const here = by > 0 ? lines.find((n) => n > this.hit) : lines.findLast((n) => n < this.hit);
    if (here !== undefined) {
      this.hit = here;
      return this.choose('after', here, true);
    }
    const count = this.steps.length;
    for (let i = 1; i <= count; i++) {
      const other = (step + by * i + count * i) % count;
      if (!this.search.hits[other]) continue;
      this.toStep(other);
      const found = hitLines(this.doc('after') ?? doc, query);
      this.hit = (by > 0 ? found[0] : found[found.length - 1]) ?? 0;
      return this.choose('after', this.hit, true);
    }
  }

  // Ways through changes and relatives

  private toChange(by: number): void {
    const { hunks } = this.comparison;
    const { rows } = this.panes.after;
    const middle = rows.top + rows.visible / 3;
    const places = hunks.map((hunk) => hunk.after[0] - (hunk.after[1] ? 1 : 0));
    const target = by > 0 ? places.find((p) => p > middle + 0.9) : places.findLast((p) => p < middle - 0.9);
    const isStuck = target !== undefined && !this.canScroll(target);
    if (target !== undefined && !isStuck) {
      rows.reveal(target, true);
      return this.follow('after');
    }
    const steps = this.passes.listed.filter((s) => this.steps[s]?.changed);
    const next = by > 0 ? steps.find((s) => s > this.state.step) : steps.findLast((s) => s < this.state.step);
    this.toStep(next);
  }

  /** `false` if a place near an end of the text is as high as it gets. */
  private canScroll(place: number): boolean {
    const { rows, doc } = this.panes.after;
    const most = Math.max(0, (doc?.count ?? 0) - rows.visible);
    const top = Math.max(0, Math.min(place - rows.visible / 3, most));
    return Math.abs(top - rows.top) > 0.5;
  }

  private toLinked(by: number): void {
    const focused = (['source', 'before', 'after'] as const).find((name) => this.panes[name].root.contains(document.activeElement));
    const pane = this.panes[focused ?? 'after'];
    const { rows, marks } = pane;
    const middle = Math.round(rows.top + rows.visible / 3);
    const lines = marks.linked;
    const next = by > 0 ? lines.find((n) => n - 1 > middle) : lines.findLast((n) => n - 1 < middle);
    const line = next ?? (by > 0 ? lines[0] : lines[lines.length - 1]);
    if (line === undefined) return;
    pane.rows.reveal(line - 1, true);
    if (focused !== 'source') this.follow(focused ?? 'after');
  }

  /** Scrolls the other pane of the comparison to what stands beside the text of this one. */
  private follow(name: 'before' | 'after'): void {
    const other = this.panes[name === 'after' ? 'before' : 'after'];
    const { rows, doc } = this.panes[name];
    if (!doc || !other.doc) return;
    other.isLed = false;
    // The line at a third of the height stands beside its counterpart; at the ends, the ends do.
    const most = Math.max(1, doc.count - rows.visible);
    const share = Math.max(0, Math.min(1, rows.top / most));
    const at = rows.visible * (most < rows.visible ? share : rows.top < rows.visible ? (rows.top / rows.visible) * 0.33 : 0.33);
    other.rows.scrollTo(this.alignment.across(rows.top + at, name) - at);
  }

  /** After a change of the step: to the first change, or to the one that the marked lines are in. */
  private scrollToChange(): void {
    const { hunks } = this.comparison;
    const { after } = this.panes;
    this.hit = 0;
    const { linked } = after.marks;
    const inHunk = linked.find((n) => this.changes.after.has(n));
    const [first] = hunks;
    const line = inHunk ?? (first ? first.after[0] + (first.after[1] ? 0 : 1) : linked[0]);
    if (line !== undefined) after.rows.reveal(line - 1);
    this.follow('after');
    this.revealFirst('source');
  }

  private scrollToRelatives(): void {
    const { state } = this;
    const isNode = state.node !== undefined && state.line === undefined;
    if (state.pane !== 'source' || isNode) this.revealFirst('source');
    if (state.pane !== 'after' || isNode) {
      this.revealFirst('after');
      if (state.pane !== 'before' || isNode) this.follow('after');
    } else if (state.line !== undefined) this.revealFirst('before');
    if (state.pane === 'source' || isNode) this.revealFirst('before');
  }

  /** Brings the first marked line of a pane into sight if none is. */
  private revealFirst(name: PaneName): void {
    const { rows, marks } = this.panes[name];
    const { top, visible } = rows;
    const isInSight = marks.linked.some((n) => n - 1 >= top && n <= top + visible);
    const [first] = marks.linked;
    if (first === undefined || isInSight) return;
    this.panes[name].isLed = false;
    rows.reveal(first - 1, true);
  }
}

const NOTHING = new Map<number, Mark>();

/** Keys that the help lists with others. */
function hidden(actions: Record<string, () => void>): Key[] {
  return Object.entries(actions).map(([key, press]) => ({ keys: [key], does: '', press }));
}

function toggleTheme(): void {
  const root = document.documentElement;
  const isDark = root.dataset['theme'] ? root.dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset['theme'] = isDark ? 'light' : 'dark';
}

async function start(): Promise<void> {
  new Explorer(await readPage());
  document.documentElement.setAttribute('data-ready', '');
}

const fail = (error: unknown) => {
  document.body.append(el('p', { role: 'alert' }, `This page cannot be shown: ${String(error)}`));
};
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => void start().catch(fail));
else void start().catch(fail);
