// Writes the page of a JSON of the data model as the command does: `node tests/make.mjs page.json page.html`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');

/** The HTML of a page's data. */
export function html(page) {
  const [style, script] = ['page.css', 'page.js'].map((name) => readFileSync(join(dist, name), 'utf8'));
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
  const title = page.title.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head>
<body><noscript></noscript><script type="application/octet-stream" id="data">${deflateRawSync(JSON.stringify(page)).toString('base64')}</script>
<script>${script}</script></body></html>`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , input, output] = process.argv;
  writeFileSync(output, html(JSON.parse(readFileSync(input, 'utf8'))));
}
