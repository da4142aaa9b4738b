// Pages made by hand, for what no input of the command shows in small.

const plain = (version) => ({ hunks: [], changed: false, language: 'python', ...version });

/** Encodes origins of lines as the data does. */
export function encode(lines) {
  const flat = [];
  let first = 0;
  for (const ids of lines) {
    flat.push(ids.length);
    let last = first;
    ids.forEach((id, i) => {
      flat.push(id - last);
      last = id;
      if (i === 0) first = id;
    });
  }
  return flat;
}

/** A batch normalisation that a pass unpacks, with all kinds of changes, graphs and a schedule. */
export function batchNorm() {
  const source = [
    '# from tvm.script import relax as R',
    '@R.function',
    'def main(x: R.Tensor((1, 4, 8, 8), "float32"), gamma: R.Tensor((4,), "float32")) -> R.Tensor((1, 4, 8, 8), "float32"):',
    '    with R.dataflow():',
    '        lv = R.nn.relu(x)',
    '        lv1 = R.nn.batch_norm(lv, gamma, beta, mean, var, axis=1, epsilon=1e-05)',
    '        lv2 = lv1[0]',
    '        dead = R.add(x, x)',
    '        R.output(lv2)',
    '    return lv2',
  ];
  const before = source.slice(1);
  const after = [
    ...before.slice(0, 3),
    '        lv = R.nn.relu(x)',
    '        lv1 = R.expand_dims(mean, axis=[0, 2, 3])',
    '        lv2 = R.subtract(lv, lv1)',
    '        lv3 = R.expand_dims(var, axis=[0, 2, 3])',
    '        lv4 = R.add(lv3, R.const(9.9999997473787516e-06, "float32"))',
    '        lv5 = R.sqrt(lv4)',
    '        lv6 = R.divide(lv2, lv5)',
    '        lv7 = (lv6, mean, var)',
    '        lv8 = lv7[0]',
    '        R.output(lv8)',
    '    return lv8',
  ];
  const relu = ['@T.prim_func', 'def relu(x: T.Buffer((256,), "float32")):', '    for i in range(256):', '        x[i] = T.max(x[i], T.float32(0))'];
  const relu1 = ['@T.prim_func', 'def relu(x: T.Buffer((256,), "float32")):', '    for i_0, i_1 in T.grid(64, 4):', '        x[i_0 * 4 + i_1] = T.max(x[i_0 * 4 + i_1], T.float32(0))'];
  const relu2 = [...relu1.slice(0, 2), '    for i_0 in range(64):', '        for i_1 in T.vectorized(4):', `    ${relu1[3]}`];
  const origins = source.map((_, i) => ({ kind: 'line', run: 0, line: i + 1 }));
  origins.push({ kind: 'layer', name: 'bn1' });
  const links = [
    encode(before.map((_, i) => (i === 4 ? [i + 1, 10] : [i + 1]))),
    encode([...[1, 2, 3, 4].map((i) => [i]), ...Array.from({ length: 7 }, () => [5, 10]), [6], [8], [9]]),
    encode([[1], [2], [4], [4]]),
  ];
  const text = (lines) => lines.join('\n');
  const texts = [source, before, after, relu, relu1, relu2, ['root', '  i'], ['root', '  i_0', '    i_1'], ['root', '  i_0', '    i_1 vectorized']].map(text);
  const main = (t, l) => ({ text: t, links: l, function: 'main' });
  const kernel = { text: 3, links: 2, function: 'relu' };
  return {
    version: 1,
    title: 'batch_norm.py',
    texts,
    links,
    origins,
    runs: [
      {
        name: 'batch_norm.py',
        source: [{ text: 0 }],
        versions: [
          plain({ name: 'batch_norm.py', nodes: 40, sourced: 40, wellFormed: true, readsBack: true, parts: [main(1, 0), kernel] }),
          plain({ name: 'Normalize', phase: 'high level', ms: 0.4, nodes: 40, sourced: 40, wellFormed: true, readsBack: true, inside: 3, parts: [main(1, 0), kernel] }),
          plain({
            name: 'DecomposeOpsForInference', phase: 'high level', ms: 2.5, changed: true, nodes: 66, sourced: 64, wellFormed: true, readsBack: true, inside: 3,
            parts: [main(2, 1), kernel],
            hunks: [
              { kind: 'edited', before: [5, 1], after: [5, 7] },
              { kind: 'renamed', before: [6, 1], after: [12, 1], note: 'lv1 became lv7' },
              { kind: 'removed', before: [7, 1], after: [12, 0] },
              { kind: 'renamed', before: [8, 2], after: [13, 2], note: 'lv2 became lv8' },
            ],
          }),
          plain({ name: 'sequential', ms: 3.1, nodes: 66, sourced: 64, wellFormed: true, readsBack: false, parts: [main(2, 1), kernel] }),
        ],
      },
    ],
    parting: null,
    graphs: [
      {
        name: 'main', kind: 'model', parent: null, width: 220, height: 330,
        nodes: [
          { name: 'x', op: 'input', x: 40, y: 0, w: 140, h: 34, origins: [2], mark: 'input' },
          { name: 'relu1', op: 'Relu', x: 40, y: 90, w: 140, h: 34, origins: [4] },
          { name: 'bn1', op: 'BatchNormalization', x: 40, y: 180, w: 140, h: 34, origins: [10] },
          { name: 'output', op: 'output', x: 40, y: 270, w: 140, h: 34, origins: [8], mark: 'output' },
        ],
        edges: [[0, 1], [1, 2], [2, 3]].map(([from, to]) => ({ from, to, points: [110, from * 90 + 34, 110, to * 90] })),
      },
      {
        name: 'calls', kind: 'calls', parent: null, width: 160, height: 130,
        nodes: [
          { name: 'main', op: 'relax', x: 10, y: 0, w: 140, h: 34, origins: [], function: 'main' },
          { name: 'relu', op: 'tir', x: 10, y: 90, w: 140, h: 34, origins: [], function: 'relu', schedule: 0 },
        ],
        edges: [{ from: 0, to: 1, points: [80, 34, 80, 90] }],
      },
    ],
    schedules: [
      {
        function: 'relu',
        records: [
          { primitive: '', call: '', text: 3, tree: 6, hunks: [], treeHunks: [] },
          {
            primitive: 'split', call: 'i_0, i_1 = sch.split(i, [64, 4])', text: 4, tree: 7,
            hunks: [{ kind: 'edited', before: [3, 2], after: [3, 2] }],
            treeHunks: [{ kind: 'edited', before: [2, 1], after: [2, 2] }],
          },
          {
            primitive: 'vectorize', call: 'sch.vectorize(i_1)', text: 5, tree: 8,
            hunks: [{ kind: 'edited', before: [3, 2], after: [3, 3] }],
            treeHunks: [{ kind: 'edited', before: [3, 1], after: [3, 1] }],
          },
        ],
      },
    ],
    notes: ['1 file was left out'],
  };
}

/** A program of many lines, and passes of which each changes one function. */
export function large(lines = 100_000, passes = 6) {
  const size = 100;
  const count = Math.ceil(lines / size);
  const texts = [];
  const links = [];
  const origins = Array.from({ length: lines }, (_, i) => ({ kind: 'line', run: 0, line: i + 1 }));
  const fun = (f, pass) => {
    const rows = Array.from({ length: size }, (_, i) => (i === 0 ? `def f${f}(a: T.handle):` : `    B${pass}[${i}] = A[${i}] + T.float32(${f})`));
    texts.push(rows.join('\n'));
    links.push(encode(rows.map((_, i) => [f * size + i])));
    return { text: texts.length - 1, links: links.length - 1, function: `f${f}` };
  };
  let parts = Array.from({ length: count }, (_, f) => fun(f, 0));
  const source = [{ text: texts.push(texts.join('\n')) - 1 }];
  const versions = [plain({ name: 'large.py', parts })];
  for (let pass = 1; pass <= passes; pass++) {
    const f = (pass * 37) % count;
    parts = [...parts];
    parts[f] = fun(f, pass);
    const hunk = [f * size + 2, size - 1];
    versions.push(plain({ name: `pass_${pass}`, ms: pass, changed: pass % 3 !== 0, parts, hunks: pass % 3 ? [{ kind: 'renamed', before: hunk, after: hunk }] : [] }));
    if (pass % 3 === 0) versions[pass].parts = parts = versions[pass - 1].parts;
  }
  return { version: 1, title: 'large.py', texts, links, origins, runs: [{ name: 'large.py', source, versions }], graphs: [], schedules: [], notes: [] };
}

/** Text and names that would be markup, scripts or broken if they were not text. */
export function hostile() {
  const page = batchNorm();
  const bad = '<img src=x onerror="document.title=1"><script>document.title=1</script>&amp;\u2028\u202e';
  page.title = bad;
  page.texts[2] = page.texts[2].replace('lv7[0]', `"${bad}"`);
  page.runs[0].versions[2].name = bad;
  page.runs[0].versions[2].error = bad;
  page.runs[0].versions[2].hunks[0].note = bad;
  page.graphs[0].nodes[1].name = bad;
  page.notes = [bad];
  return page;
}
