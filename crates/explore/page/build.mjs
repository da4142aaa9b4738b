// Bundles src/ into dist/page.js and dist/page.css. With --check it writes nothing and fails if the files in dist/ differ.
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');
const result = await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/main.ts', out: 'page' },
    { in: 'src/page.css', out: 'page' },
  ],
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'ascii',
  legalComments: 'none',
  write: !check,
  logLevel: 'warning',
});
if (check) {
  for (const file of result.outputFiles ?? []) {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    const stored = await readFile(join(root, 'dist', name), 'utf8').catch(() => '');
    if (stored !== file.text) {
      console.error(`dist/${name} is not the bundle of src/: run \`npm run build\``);
      process.exitCode = 1;
    }
  }
}
