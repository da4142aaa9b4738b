/** Puts the page together, and keeps what it shows in step with the state. */
import { format, parse } from './address';
import type { GraphNode, Page } from './data';
import { readPage } from './data';
import { Documents } from './documents';
import { button, counted, el, set } from './dom';
import { factsOf } from './facts';
import { GraphView } from './graph';
import { helpDialog, lineDialog } from './help';
import { HistoryPanel } from './history';
import type { Actions } from './keys';
import { keysOf, listen } from './keys';
import { describe, history, Relatives } from './links';
import { Passes } from './passes';
import { ScheduleView } from './schedules';
import { Search } from './search';
import { LAYOUT_NAMES, LAYOUTS, VIEWS } from './state';
import type { PaneName, State, View } from './state';
import { BOTH, stepsOf } from './steps';
import type { Step } from './steps';
import { Texts } from './texts';

class Explorer {
  private readonly documents: Documents;
  private readonly usual: State;
  private state: State;
  private steps: Step[] = [];
  private relatives: Relatives | undefined;
  /** Counts histories, so that one that is late is dropped. */
  private choice = 0;
  /** Line of the hit that was gone to last. */
  private hit = 0;

  private readonly texts: Texts;
  private readonly passes: Passes;
  private readonly graph: GraphView | undefined;
  private readonly schedules: ScheduleView | undefined;
  private readonly history: HistoryPanel;
  private readonly search = new Search();
  private readonly field = el('input', {
    type: 'search',
    'aria-label': 'Search all versions',
    placeholder: 'Search all versions  /',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  private readonly hits = el('output', { 'data-hits': 0 });
  private readonly facts = el('div', { class: 'facts', role: 'status' });
  private readonly failure = el('pre', { class: 'failure', tabindex: 0, role: 'note', 'aria-label': 'Error' });
  private readonly tabs = new Map<View, HTMLButtonElement>();
  private readonly runs: HTMLButtonElement[] = [];
  private readonly help: HTMLDialogElement;
  private readonly goLine: HTMLDialogElement;

  constructor(private readonly page: Page) {
    const actions = this.actions();
    this.documents = new Documents(page);
    this.usual = this.firstState();
    this.state = parse(location.hash, this.usual, page);
    this.texts = new Texts(this.documents, (pane, line) => this.choose(pane, line, false), actions.toChange, actions.togglePin);
    this.passes = new Passes((step) => this.toStep(step), actions.toggleChangedOnly);
    const showForm = (step: number, line: number | undefined) => {
      this.toStep(step);
      if (line !== undefined) this.texts.panes.after.rows.reveal(line - 1);
    };
    this.history = new HistoryPanel(showForm, actions.toggleHistory);
    if (page.graphs.length) {
      const open = (graph: number) => this.update({ graph, node: undefined });
      this.graph = new GraphView(page, (node) => this.chooseNode(node), open);
    }
    if (page.schedules.length) {
      this.schedules = new ScheduleView(page, this.documents, (record) => this.toRecord(record));
    }
    const keys = keysOf(actions);
    this.help = helpDialog(keys, page.notes);
    this.goLine = lineDialog((line) => this.choose('after', line, true));
    this.build(actions);
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

  /** The state without an address: the first change, with the graph for a model that is not a script. */
  private firstState(): State {
    const { page } = this;
    const mode = page.runs.length > 1 ? BOTH : 0;
    const steps = stepsOf(page, mode);
    const parting = steps.findIndex((step) => step.parts);
    const changed = steps.findIndex((step) => step.changed);
    const hasModel = page.graphs.some((graph) => graph.kind === 'model') && page.runs.every((run) => !run.source.length);
    const isRecord = page.schedules.length > 0 && page.runs.every((run) => run.versions.length < 2);
    return {
      mode,
      step: Math.max(0, parting >= 0 ? parting : changed),
      line: undefined,
      pane: 'after',
      node: undefined,
      graph: 0,
      query: '',
      changedOnly: false,
      view: hasModel ? 'graph' : isRecord ? 'schedules' : 'text',
      layout: 'all',
      base: undefined,
      schedule: page.schedules.length ? 0 : undefined,
      record: undefined,
      history: true,
    };
  }

  private actions(): Actions {
    return {
      nextPass: (by) => this.toStep(this.passes.neighbour(by)),
      toChange: (by) => this.toChange(by),
      toLinked: (by) => this.texts.toLinked(by),
      nextRecord: (by) => this.nextRecord(by),
      view: (index) => {
        const view = VIEWS[index] ?? 'text';
        if (this.tabs.has(view)) this.update({ view });
      },
      toggleChangedOnly: () => this.update({ changedOnly: !this.state.changedOnly }),
      toggleFolds: () => this.passes.toggleFolds(),
      toggleHistory: () => this.update({ history: !this.state.history }),
      togglePin: () => this.update({ base: this.state.base ? undefined : this.steps[this.state.step]?.after }),
      toggleTheme,
      nextLayout: () => {
        const layout = LAYOUTS[(LAYOUTS.indexOf(this.state.layout) + 1) % LAYOUTS.length] ?? 'all';
        this.update({ layout, view: 'text' });
      },
      goToLine: () => this.goLine.showModal(),
      focusSearch: () => this.field.select(),
      focusPasses: () => this.passes.focus(),
      help: () => this.help.showModal(),
    };
  }

  private build(actions: Actions): void {
    const { page, graph, schedules } = this;
    const names: Record<View, string> = { text: 'Text', graph: 'Graph', schedules: 'Schedules' };
    VIEWS.forEach((view, i) => {
      if ((view === 'graph' && !graph) || (view === 'schedules' && !schedules)) return;
      this.tabs.set(view, button(`view-${view}`, names[view], `${names[view]} (${i + 1})`, () => this.update({ view })));
    });
    if (page.runs.length > 1) {
      [...page.runs.map((run, i) => `${'AB'[i] ?? i} ${run.name}`), 'A | B'].forEach((name, mode) => {
        const hint = mode === BOTH ? 'Both runs side by side' : `Run ${name}`;
        this.runs.push(button('run', name, hint, () => this.update({ mode, step: 0, base: undefined })));
      });
    }
    const group = (name: string, buttons: HTMLElement[]) =>
      buttons.length > 1 ? el('div', { class: 'tabs', role: 'group', 'aria-label': name }, ...buttons) : undefined;
    const header = el(
      'header',
      { class: 'bar' },
      el('h1', { title: page.title }, page.title),
      group('Run', this.runs),
      group('View', [...this.tabs.values()]),
      el('span', { class: 'search', role: 'search' }, this.field, this.hits),
      button('previous-hit', '‹', 'Previous hit (Shift+Enter in the search)', () => this.toHit(-1)),
      button('next-hit', '›', 'Next hit (Enter in the search)', () => this.toHit(1)),
      button('theme', '◐', 'Light or dark (t)', actions.toggleTheme),
      button('help', '?', 'Keys and signs (?)', actions.help),
    );
    const main = el('main', {}, this.facts, this.failure, this.texts.root, schedules?.root, this.history.root);
    const hasGraph = graph && (page.graphs.some((g) => g.nodes.length > 1) || schedules);
    const parts = [header, this.passes.root, hasGraph ? graph.root : undefined, main, this.help, this.goLine];
    document.body.append(...parts.filter((part) => part !== undefined));
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
    this.showView();
    if (isChoice) this.relate();
    else if (isOtherText) this.keepChoice();
    this.texts.mark(this.relatives, next);
    this.markGraph();
    if (isOtherMode || next.query !== last.query) this.startSearch();
    if (isOtherText) this.texts.scrollToChange();
    else if (isChoice) this.texts.scrollToRelatives(next);
    if (isOtherText) this.hit = 0;
    if (isChoice && isOtherText && next.line !== undefined) this.texts.panes[next.pane].rows.reveal(next.line - 1);
    if (isOtherText || isChoice || next.history !== last.history) this.showHistory();
  }

  /** In another version, the chosen line is its first relative there. */
  private keepChoice(): void {
    const { state, relatives } = this;
    if (state.line === undefined && !relatives) return;
    const doc = this.texts.doc(state.pane);
    if (state.node === undefined && state.pane !== 'source') state.line = doc && relatives?.lines(doc)[0];
    if (!relatives?.ids.length) this.relatives = undefined;
  }

  private showStep(): void {
    const { state } = this;
    const step = this.steps[state.step];
    if (!step) return;
    this.texts.show(step, state.mode, state.base);
    this.passes.select(state.step);
    const ref = state.base ?? step.before;
    const before = ref && this.page.runs[ref.run]?.versions[ref.index];
    const remarks = state.base ? ['compared with a pinned version'] : [];
    this.facts.replaceChildren(...factsOf(state.step, step, before, this.texts.comparison.hunks, remarks));
    this.failure.textContent = step.version.error ?? '';
    this.failure.hidden = !step.version.error;
  }

  private showView(): void {
    const { state } = this;
    set(document.body, 'data-view', state.view);
    set(document.body, 'data-panes', state.layout);
    set(this.texts.root, 'aria-label', `Texts: ${LAYOUT_NAMES[state.layout]}`);
    this.tabs.forEach((tab, view) => set(tab, 'aria-pressed', String(view === state.view)));
    this.runs.forEach((tab, mode) => set(tab, 'aria-pressed', String(mode === state.mode)));
    set(this.texts.pin, 'aria-pressed', String(state.base !== undefined));
    this.graph?.show(state.graph);
    if (state.view === 'schedules' && state.schedule !== undefined) this.schedules?.show(state.schedule, state.record);
  }

  /** Finds the origins of what is chosen. */
  private relate(): void {
    const { state } = this;
    this.relatives = undefined;
    const node = this.page.graphs[state.graph]?.nodes.find((n) => n.name === state.node);
    if (node?.origins.length) {
      this.relatives = new Relatives(this.documents, node.origins);
      return;
    }
    const doc = this.texts.doc(state.pane);
    if (!doc || (state.line ?? 0) > doc.count) state.line = undefined;
    if (!doc || state.line === undefined) return;
    this.relatives = new Relatives(this.documents, doc.origins(state.line));
  }

  private markGraph(): void {
    const { state, relatives, page } = this;
    const isLine = state.line !== undefined && state.node === undefined && page.graphs[state.graph]?.kind === 'calls';
    const inside = isLine ? this.texts.doc(state.pane)?.functionAt(state.line ?? 0) : undefined;
    this.graph?.mark(
      state.node,
      (node) => node.origins.some((id) => relatives?.has(id)) || (inside !== undefined && node.function === inside),
    );
  }

  private showHistory(): void {
    const choice = ++this.choice;
    const { state, relatives, steps, page } = this;
    const isShown = state.history && !!relatives && state.view !== 'schedules';
    this.history.root.hidden = !isShown;
    if (!isShown || !relatives) return;
    const docOf = ({ after }: Step) => this.documents.version(after.run, after.index);
    const origins = relatives.ids.slice(0, 3).flatMap((id) => page.origins[id] ?? []).map((origin) => describe(origin, page));
    if (relatives.ids.length > 3) origins.push(`${relatives.ids.length - 3} more`);
    const words = origins.length ? `from ${origins.join(', ')}` : 'no known origin';
    history(relatives, steps, docOf, () => choice !== this.choice, (forms) => {
      this.history.show(forms, steps.map((step) => step.name), this.state.step, words);
    });
  }

  /** Chooses a line as a click does. */
  private choose(pane: PaneName, line: number, isShown: boolean): void {
    if (line > (this.texts.doc(pane)?.count ?? 0)) return;
    this.update({ line, pane, node: undefined });
    if (isShown) this.texts.panes[pane].rows.reveal(line - 1);
  }

  /** Chooses a node: its lines are marked, or the function that it stands for; its schedule is shown. */
  private chooseNode(node: GraphNode): void {
    const line = node.function == null ? undefined : this.texts.doc('after')?.lineOf(node.function);
    const changes: Partial<State> = { node: node.name, line: undefined };
    if (!node.origins.length && line !== undefined) Object.assign(changes, { line, pane: 'after' });
    if (node.schedule != null) Object.assign(changes, { schedule: node.schedule, record: undefined, view: 'schedules' });
    else if (this.state.view === 'schedules') changes.view = this.usual.view === 'schedules' ? 'text' : this.usual.view;
    this.update(changes);
    if (changes.line !== undefined && line !== undefined) this.texts.panes.after.rows.reveal(line - 1);
  }

  private toStep(step: number | undefined): void {
    if (step !== undefined && step !== this.state.step) this.update({ step });
  }

  /** To the next change of this step, or of the next step with changes. */
  private toChange(by: number): void {
    if (this.texts.toChange(by)) return;
    const steps = this.passes.listed.filter((s) => this.steps[s]?.changed);
    this.toStep(by > 0 ? steps.find((s) => s > this.state.step) : steps.findLast((s) => s < this.state.step));
  }

  private toRecord(record: number): void {
    const count = this.page.schedules[this.state.schedule ?? -1]?.records.length ?? 0;
    this.update({ record: Math.max(Math.min(1, count - 1), Math.min(record, count - 1)) });
  }

  private nextRecord(by: number): void {
    const count = this.page.schedules[this.state.schedule ?? -1]?.records.length ?? 0;
    if (this.state.view === 'schedules') this.toRecord((this.state.record ?? count - 1) + by);
  }

  /** Clears the search, or leaves its field, or clears the choice. */
  private escape(): void {
    if (this.state.query || this.field.value) {
      this.field.value = '';
      this.update({ query: '' });
    } else if (document.activeElement === this.field) this.field.blur();
    else this.update({ line: undefined, node: undefined });
  }

  private startSearch(): void {
    const { query } = this.state;
    if (this.field.value !== query) this.field.value = query;
    this.hits.setAttribute('aria-busy', 'true');
    // A version counts once, also where two runs are side by side and one has more passes.
    const seen = new Set<string>();
    const parts = this.steps.map(({ before, after }) => {
      const refs = this.state.mode === BOTH && before ? [before, after] : [after];
      return refs.flatMap(({ run, index }) => {
        const isSeen = seen.has(`${run}.${index}`);
        seen.add(`${run}.${index}`);
        return isSeen ? [] : (this.page.runs[run]?.versions[index]?.parts ?? []);
      });
    });
    this.search.start(query, parts, this.page.texts, () => {
      const { hits, total } = this.search;
      this.hits.removeAttribute('aria-busy');
      this.hits.setAttribute('data-hits', String(total));
      this.hits.textContent = query ? `${counted(total, 'hit')} in ${counted(hits.filter((n) => n > 0).length, 'version')}` : '';
      this.passes.mark(hits);
      this.texts.revealHit(query);
    });
  }

  /** To the next hit, in this version or in a later one. */
  private toHit(by: number): void {
    const { query, step } = this.state;
    if (!query || !this.search.total) return;
    let line = this.texts.hit(this.hit, by);
    const count = this.steps.length;
    for (let i = 1; line === undefined && i <= count; i++) {
      const other = (step + by * i + count * i) % count;
      if (!this.search.hits[other]) continue;
      this.toStep(other);
      line = this.texts.hit(by > 0 ? 0 : Infinity, by);
    }
    if (line === undefined) return;
    this.choose('after', line, true);
    this.hit = line;
  }
}

function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const theme = dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  dataset['theme'] = theme === 'dark' ? 'light' : 'dark';
}

async function start(): Promise<void> {
  new Explorer(await readPage());
  document.documentElement.setAttribute('data-ready', '');
}

function fail(error: unknown): void {
  document.body.append(el('p', { role: 'alert' }, `This page cannot be shown: ${String(error)}`));
}

if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => void start().catch(fail));
else void start().catch(fail);
