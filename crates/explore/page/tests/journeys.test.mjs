// Journeys through the page in a real browser, on pages that the command makes.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  changes, checkAccess, clickLine, count, explore, fixtures, frame, input, linked, missing, open, pageOf, passes, rows, selectPass, shoot,
} from './browser.mjs';
import { batchNorm, hostile, large } from './samples.mjs';

const journey = (name, run) => test(name, { skip: missing, timeout: 120_000 }, run);

const BATCH_NORM = `# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4, 8, 8), "float32"), gamma: R.Tensor((4,), "float32"), beta: R.Tensor((4,), "float32"), mean: R.Tensor((4,), "float32"), var: R.Tensor((4,), "float32")) -> R.Tensor((1, 4, 8, 8), "float32"):
        with R.dataflow():
            lv = R.nn.relu(x)
            lv1 = R.nn.batch_norm(lv, gamma, beta, mean, var, axis=1, epsilon=1e-05, center=True, scale=True, momentum=0.1)
            lv2 = lv1[0]
            R.output(lv2)
        return lv2
`;

const KERNEL = `# from tvm.script import tir as T

@T.prim_func
def scale(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.unroll(4):
        for j in range(16):
            with T.block("scale"):
                v = T.axis.spatial(64, i * 16 + j)
                B[v] = A[v] * T.float32(2) + T.float32(0)
`;

journey('p92_27 a layer of a model lights its lines in every version, and a line its layer', async (t) => {
  const page = await open(t, explore(join(fixtures, 'models/convnet.onnx'), '--passes', 'default'));
  const nodes = await page.$$eval('[data-node]', (all) => all.map((node) => node.dataset.node));
  const relu = nodes.find((name) => /relu/i.test(name));
  assert.ok(relu, `a node of a layer in ${nodes}`);
  await page.locator(`[data-node="${relu}"]`).first().click();
  await frame(page);
  for (const pane of ['source', 'after']) {
    const lines = await linked(page, pane);
    assert.ok(lines.some((line) => /relu|max/i.test(line)), `${pane}: ${lines}`);
  }
  await shoot(page, 'model');
  await checkAccess(page);
  await page.keyboard.press('Escape');
  assert.deepEqual(await linked(page, 'source'), []);
  await clickLine(page, 'source', 'R.nn.relu(');
  const lit = await page.$$eval('[data-node][data-linked]', (all) => all.map((node) => node.dataset.node));
  assert.ok(lit.includes(relu), String(lit));
  await page.locator(`[data-node="${relu}"]`).first().focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('[data-node][aria-pressed=true]').getAttribute('data-node'), relu);
});

journey('p92_28 a batch normalisation is unpacked, with lines drawn to what became of it', async (t) => {
  const script = input('batch_norm.py', BATCH_NORM);
  const page = await open(t, explore(script, '--passes', 'relax.DecomposeOpsForInference,relax.FoldConstant'));
  await selectPass(page, 'DecomposeOpsForInference');
  assert.ok((await changes(page)).length > 0);
  await clickLine(page, 'source', 'R.nn.batch_norm');
  const lines = await linked(page, 'after');
  assert.ok(lines.length > 3 && lines.some((line) => line.includes('R.sqrt')), String(lines));
  assert.ok((await page.locator('.bands .band').count()) > 0);
  assert.ok((await page.locator('.bands .chosen').count()) >= lines.length);
  await page.locator('.history [data-event^=split]').waitFor();
  await shoot(page, 'conversion');
  await checkAccess(page);
  await clickLine(page, 'after', 'R.sqrt');
  assert.ok((await linked(page, 'source')).some((line) => line.includes('R.nn.batch_norm')));
  assert.ok((await linked(page, 'before')).some((line) => line.includes('R.nn.batch_norm')));
});

const SCHEDULE = `block = sch.get_block("scale")
i, j = sch.get_loops(block)
j_0, j_1 = sch.split(j, factors=[None, 4])
sch.vectorize(j_1)
`;

journey('p92_29 a node of the call graph opens two schedules of its function side by side', async (t) => {
  const file = explore(input('scheduled.py', KERNEL), '--trace', input('schedule.py', SCHEDULE), '--passes', 'tir.LowerInitBlock');
  const page = await open(t, file);
  await page.locator('[data-node="scale"]').click();
  await frame(page);
  const text = (half) => page.$$eval(`[data-schedule=${half}] [data-line]`, (all) => all.map((row) => row.querySelector('[data-text]').textContent).join('\n'));
  assert.doesNotMatch(await text('left'), /vectorized/);
  assert.match(await text('right'), /vectorized/);
  assert.ok((await page.locator('[data-schedule=right] [data-change]').count()) > 0);
  await shoot(page, 'schedules');
  await checkAccess(page);
  await page.locator('[data-action=previous-record]').click();
  await frame(page);
  assert.match(await text('left'), /range\(16\)|T\.grid|in T\.unroll/);
  assert.doesNotMatch(await text('right'), /vectorized/);
});

const EXPRESSIONS = `from tvm import te
A = te.placeholder((64, 64), name="A")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((64,), lambda i: te.sum(A[i, k], axis=k), name="C")
s = te.create_schedule(C.op)
io, ii = s[C].split(C.op.axis[0], factor=16)
s[C].parallel(io)
`;

journey('p92_29 a schedule of tensor expressions shows its stages, its record and their data', async (t) => {
  const page = await open(t, explore(input('rowsum.py', EXPRESSIONS)));
  assert.deepEqual((await passes(page)).map(({ name }) => name), ['rowsum.py', 'split', 'parallel']);
  await clickLine(page, 'source', 's[C].split');
  assert.ok((await linked(page, 'after')).includes('for i_inner in range(16)'), String(await linked(page, 'after')));
  await page.locator('[data-node="C"]').click();
  await frame(page);
  assert.match(await page.locator('[data-schedule=right] [data-change]').first().textContent(), /parallel\(4\)/);
  await shoot(page, 'expressions');
  await checkAccess(page);
});

journey('p92_36 a line of any text finds its relatives in the others, and keeps them from pass to pass', async (t) => {
  const page = await open(t, explore(input('scale.py', KERNEL), '--passes', 'tir.LowerInitBlock,tir.UnrollLoop,tir.Simplify'));
  const list = await passes(page);
  assert.equal(list[0].index, 0);
  assert.equal(list.length, 4);
  for (const { index, changed } of list) {
    await page.locator(`[data-pass="${index}"]`).click();
    await frame(page);
    assert.equal(await page.locator(`[data-pass="${index}"]`).getAttribute('aria-selected'), 'true');
    assert.equal((await changes(page)).length > 0, changed);
  }
  await clickLine(page, 'source', 'B[v] =');
  const inAfter = await linked(page, 'after');
  assert.ok(inAfter.length > 0 && inAfter.every((line) => line.includes('B[')), String(inAfter));
  await clickLine(page, 'after', 'B[v] =');
  assert.ok((await linked(page, 'source')).some((line) => line.startsWith('B[v] =')));
  await page.keyboard.press('k');
  assert.ok((await linked(page, 'after')).length > 0);
  await shoot(page, 'text');
  const source = (await rows(page, 'source')).map((row) => row.text);
  assert.deepEqual(source, KERNEL.trimEnd().split('\n'));
});

journey("a folder of TVM's dumps is a list of passes, those inside others folded", async (t) => {
  const folder = join(fixtures, 'dumps/tvm_folder_0_27');
  const page = await open(t, explore(folder));
  const list = await passes(page);
  assert.deepEqual(list.slice(1).map(({ name }) => name), [
    'LegalizeOps', 'FoldConstant', 'DeadCodeElimination', 'sequential',
    's_tir.LowerInitBlock', 's_tir.ConvertBlocksToOpaque', 's_tir.LowerOpaqueBlock', 'sequential',
  ]);
  await selectPass(page, 'LowerOpaqueBlock');
  assert.equal(await count(page, 'after'), readFileSync(join(folder, '006_s_tir.LowerOpaqueBlock.py'), 'utf8').trimEnd().split('\n').length);
  assert.ok((await changes(page)).includes('removed'));
  await clickLine(page, 'after', 'T_add[');
  assert.ok((await linked(page, 'source')).some((line) => line.startsWith('T_add[')));
  await shoot(page, 'tvm-folder');
  await page.locator('[data-action=fold]').click();
  assert.equal((await passes(page)).length, 3);
});

journey("a trace of TileLang goes down to the generated code", async (t) => {
  const page = await open(t, explore(join(fixtures, 'dumps/tilelang')));
  await selectPass(page, 'codegen');
  assert.ok((await rows(page, 'after')).some((row) => row.text.includes('void') || row.text.includes('int')));
  await selectPass(page, 'LayoutInference');
  assert.ok((await changes(page)).length > 0);
  await shoot(page, 'tilelang');
});

journey('a log of PrintAfterAll is a list of passes', async (t) => {
  const page = await open(t, explore(join(fixtures, 'dumps/tvm_both_0_23.log')));
  await selectPass(page, 'LegalizeOps');
  assert.ok((await changes(page)).includes('added'));
  await clickLine(page, 'source', 'R.nn.relu');
  await page.keyboard.press('n');
  assert.ok((await page.locator('.history li').count()) > 0);
  await shoot(page, 'log');
});

journey('two runs stand side by side, beginning where they part', async (t) => {
  const kernel = input('runs/a.py', KERNEL);
  const other = input('runs/b.py', KERNEL.replace('T.float32(2)', 'T.float32(3)'));
  const page = await open(t, explore(kernel, other, '--passes', 'tir.LowerInitBlock,tir.UnrollLoop,tir.Simplify'));
  const [first] = await passes(page);
  assert.equal(first.changed, true);
  assert.equal(await page.locator('[data-parting]').count(), 1);
  assert.ok((await changes(page)).length > 0);
  assert.ok((await rows(page, 'before')).some((row) => row.text.includes('T.float32(2')));
  assert.ok((await rows(page, 'after')).some((row) => row.text.includes('T.float32(3')));
  await shoot(page, 'runs');
  await checkAccess(page);
  await page.locator('[data-action=run]').first().click();
  assert.equal((await passes(page)).length, 4);
});

journey('runs part at a version that no name pairs', async (t) => {
  const data = batchNorm();
  const [run] = data.runs;
  const [first, second, third, fourth] = run.versions;
  data.runs.push({ ...run, name: 'other.py', versions: [first, { ...third, name: 'Extra' }, second, third, fourth] });
  data.parting = [2, 1];
  const page = await open(t, pageOf(data));
  assert.deepEqual((await passes(page)).map(({ name }) => name), [
    'batch_norm.py', 'Extra', 'Normalize', 'DecomposeOpsForInference', 'sequential',
  ]);
  assert.equal(await page.locator('[data-parting]').getAttribute('data-name'), 'Extra');
  assert.equal(await page.locator('[data-pass][aria-selected=true]').getAttribute('data-pass'), '1');
});

journey('searches all versions', async (t) => {
  const page = await open(t, pageOf(batchNorm()));
  await page.keyboard.press('/');
  await page.keyboard.type('relu');
  await page.waitForSelector('[data-hits="8"]', { state: 'attached' });
  assert.ok((await page.locator('[data-pane=after] mark').count()) > 0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  assert.equal(await page.inputValue('input[type=search]'), '');
  assert.equal(await page.locator('mark').count(), 0);
});

journey('hostile text is text, and hostile addresses are ignored', async (t) => {
  const file = pageOf(hostile());
  const page = await open(t, file, { address: '#pass=2' });
  assert.equal(await page.locator('img').count(), 0);
  assert.notEqual(await page.title(), '1');
  const text = (await rows(page, 'after')).find((row) => row.text.includes('onerror')).text;
  assert.ok(text.includes('<img src=x onerror="document.title=1"><script>'));
  await shoot(page, 'hostile');
  for (const address of ['#pass=-1&line=1e9', '#pass=99999999999', '#line=999999', '#pass=%E0%A4%A', '#q=%00%3Cscript%3E&node=__proto__&graph=77&base=9.9&view=constructor', '#folded=2.77.-1&history=2&record=9&schedule=9', `#${'a'.repeat(100_000)}`]) {
    const other = await open(t, file, { address });
    assert.ok((await count(other, 'after')) > 0, address);
    await other.evaluate((hash) => (location.hash = hash), address);
    assert.ok((await rows(other, 'after')).length > 0, address);
  }
});

journey('100,000 lines are ready at once and scroll to the end', async (t) => {
  const page = await open(t, pageOf(large(100_000, 6)), { address: '#pass=2' });
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  assert.ok(usedSize < 200 << 20, `${usedSize} bytes`);
  assert.equal(await count(page, 'after'), 100_000);
  assert.ok((await page.locator('*').count()) < 6_000);
  await page.locator('[data-pane=after] .scroller').focus();
  await page.keyboard.press('End');
  await frame(page);
  assert.equal((await rows(page, 'after')).at(-1).line, 100_000);
  await page.evaluate(() => (location.hash = '#pass=2&line=50000'));
  await frame(page);
  for (const pane of ['source', 'after']) assert.ok((await rows(page, pane)).some((row) => row.linked && row.line === 50_000), pane);
  await shoot(page, 'large');
});

journey('200 passes are listed, filtered and walked through', async (t) => {
  const file = pageOf(large(2_000, 200));
  assert.ok(statSync(file).size < 300_000);
  const page = await open(t, file);
  assert.equal((await passes(page)).length, 201);
  await page.locator('[data-action=changed-only]').click();
  const changed = await passes(page);
  assert.ok(changed.slice(1).every((pass) => pass.changed));
  assert.equal(await page.locator('[data-pass]').first().getAttribute('aria-setsize'), String(changed.length));
  for (let i = 0; i < 5; i++) await page.keyboard.press('j');
  await page.keyboard.press('c');
  assert.equal((await passes(page)).length, 201);
  await shoot(page, 'passes');
  await checkAccess(page);
});

journey('everything is reached by the keyboard', async (t) => {
  const page = await open(t, pageOf(batchNorm()), { address: '#pass=0&view=text' });
  const selected = () => page.locator('[data-pass][aria-selected=true]').getAttribute('data-pass');
  await page.keyboard.press('j');
  assert.equal(await selected(), '1');
  await page.keyboard.press('n');
  assert.equal(await selected(), '2');
  await page.keyboard.press('l');
  await page.keyboard.press('ArrowDown');
  assert.equal(await selected(), '3');
  await page.keyboard.press('ArrowLeft');
  assert.equal((await passes(page)).length, 2);
  await page.keyboard.press('ArrowRight');
  assert.equal((await passes(page)).length, 4);
  await page.keyboard.press('k');
  await page.keyboard.press('g');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await page.waitForURL(/pass=2&line=7/);
  assert.equal((await linked(page, 'after')).length, 7);
  await page.keyboard.press('d');
  assert.equal(await page.locator('[data-pane=source]').isVisible(), false);
  await page.keyboard.press('?');
  assert.ok(await page.locator('dialog[open]').isVisible());
  await shoot(page, 'keys');
  await checkAccess(page);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  await page.keyboard.press('3');
  await page.keyboard.press(',');
  await page.waitForURL(/record=1/);
  await page.keyboard.press('2');
  await page.locator('[data-node="relu1"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('[data-node][aria-pressed=true]').getAttribute('data-node'), 'bn1');
  await page.reload();
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  assert.equal(await page.locator('[data-node][aria-pressed=true]').getAttribute('data-node'), 'bn1');
});

journey('an address brings back what is folded, hidden and chosen', async (t) => {
  const file = pageOf(batchNorm());
  const page = await open(t, file, { address: '#pass=3&line=7&view=text' });
  const status = () => page.locator('.facts').textContent();
  assert.match(await status(), /^3 sequentiallinked lines: 1 in source, 7 in before, 7 in after/);
  await page.keyboard.press('f');
  await page.keyboard.press('h');
  const other = await open(t, file, { address: await page.evaluate(() => location.hash) });
  for (const each of [page, other]) {
    assert.equal((await passes(each)).length, 2);
    assert.equal(await each.locator('.history').isVisible(), false);
  }
  await other.keyboard.press('f');
  assert.equal((await passes(other)).length, 4);
});

journey('graphs beside each other, and functions with schedules, are chosen from a list', async (t) => {
  const data = batchNorm();
  data.schedules.push({ ...data.schedules[0], function: 'other', records: data.schedules[0].records.slice(0, 2) });
  data.graphs.push({ ...data.graphs[0], name: 'second' });
  const page = await open(t, pageOf(data), { address: '#view=graph' });
  await page.getByLabel('Graph', { exact: true }).locator('select').selectOption('second');
  await page.waitForURL(/graph=2/);
  await page.locator('[data-action=view-schedules]').click();
  await page.getByLabel('Function').selectOption('other');
  await page.waitForURL(/schedule=1/);
  assert.equal(await page.locator('[data-record]').count(), 2);
  await checkAccess(page);
});

journey('changed words and hits can be read on every ground', async (t) => {
  const data = batchNorm();
  data.texts[1] = data.texts[1].replace('lv = R.nn.relu(x)', 'lv = R.nn.relu(x, T.float32(1), True, "a", for) # one');
  data.texts[2] = data.texts[2].replace('lv = R.nn.relu(x)', 'lv = R.nn.relu(x, T.float32(2), False, "b", for) # two');
  data.runs[0].versions[2].hunks.unshift({ kind: 'edited', before: [4, 1], after: [4, 1] });
  const page = await open(t, pageOf(data), { address: '#pass=2&view=text' });
  assert.ok((await page.locator('.word.k').count()) > 0);
  await checkAccess(page);
  await page.fill('input[type=search]', 'o');
  await page.waitForFunction(() => document.querySelectorAll('mark').length > 0);
  await checkAccess(page);
});

journey('a narrow window stacks the panes', async (t) => {
  const page = await open(t, pageOf(batchNorm()), { width: 400, height: 760, address: '#pass=2&view=text' });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 400, `${wide} pixels`);
  await page.locator('[data-pane=after]').scrollIntoViewIfNeeded();
  assert.ok((await changes(page)).length > 0);
  await shoot(page, 'narrow');
  await checkAccess(page);
  await page.evaluate(() => (location.hash = '#view=schedules'));
  await page.locator('.call').last().evaluate((call) => (call.textContent = 'sch.split(loop=l1, '.repeat(9)));
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
});
