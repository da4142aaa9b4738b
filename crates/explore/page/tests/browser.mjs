// A browser for the tests, and what each page has to keep to: no error, no request, no serious finding of axe.
//
// TVMSCRIPT names the command, CHROMIUM the browser. With EXPLORER_SHOTS=1 each journey writes its pictures to docs/explorer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { html } from './make.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../../../..');
export const fixtures = join(root, 'tests/fixtures');
const binary = process.env.TVMSCRIPT ?? join(root, 'target/debug/tvmscript');
const executable = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path));
const playwright = await import('playwright-core').catch(() => undefined);
const axe = playwright && readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Why the journeys cannot run here. */
export const missing = !playwright
  ? 'playwright-core is not installed: run `npm ci` in crates/explore/page'
  : !executable
    ? 'no Chromium: install it, or name it in CHROMIUM'
    : !existsSync(binary)
      ? `no command ${binary}: build it, or name it in TVMSCRIPT`
      : undefined;

export const scratch = mkdtempSync(join(tmpdir(), 'explorer-'));
let browser;
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

let made = 0;

/** The file of a page that the command makes. With EXPLORER_JSON=1 the bundle at hand shows its data, without a new build. */
export function explore(...args) {
  if (process.env.EXPLORER_JSON) {
    const json = execFileSync(binary, ['explore', ...args, '--format', 'json'], { cwd: root, maxBuffer: 1 << 30 });
    return pageOf(JSON.parse(json.toString()));
  }
  const file = join(scratch, `page${made++}.html`);
  execFileSync(binary, ['explore', ...args, '-o', file], { stdio: ['ignore', 'ignore', 'pipe'], cwd: root });
  return file;
}

/** The file of a page of data made by hand. */
export function pageOf(data) {
  const file = join(scratch, `page${made++}.html`);
  writeFileSync(file, html(data));
  return file;
}

/** Writes a file for the command to read. */
export function input(name, text) {
  const file = join(scratch, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Opens a page, and checks at the end of the test that it made no error and no request. */
export async function open(t, file, { address = '', width = 1120, height = 640, scheme = 'light' } = {}) {
  browser ??= await playwright.chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const context = await browser.newContext({ offline: true, viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error.stack)));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => request.url().split('#')[0] === pathToFileURL(file).href || faults.push(`request of ${request.url()}`));
  t.after(async () => {
    await context.close();
    assert.deepEqual(faults, []);
  });
  await page.goto(pathToFileURL(file).href + address);
  await page.waitForSelector('html[data-ready]', { state: 'attached', timeout: 20_000 });
  return page;
}

/** Lines in sight of a pane, with what marks them. */
export function rows(page, pane) {
  return page.$$eval(`[data-pane=${pane}] [data-line]`, (all) =>
    all
      .map((row) => ({
        line: Number(row.dataset.line),
        text: row.querySelector('[data-text]').textContent,
        linked: row.hasAttribute('data-linked'),
        change: row.dataset.change,
      }))
      .sort((a, b) => a.line - b.line),
  );
}

export const linked = async (page, pane) => (await rows(page, pane)).filter((row) => row.linked).map((row) => row.text.trim());
export const changes = async (page, pane = 'after') => (await rows(page, pane)).filter((row) => row.change).map((row) => row.change);

/** Number of lines of a pane's text. */
export const count = (page, pane) => page.$eval(`[data-pane=${pane}]`, (root) => Number(root.dataset.lines));

/** Clicks the row with a text. */
export async function clickLine(page, pane, text) {
  const row = page.locator(`[data-pane=${pane}] [data-line]`).filter({ hasText: text }).first();
  await row.click({ position: { x: 90, y: 9 } });
  await frame(page);
}

/** Waits until the page has drawn. */
export const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Items of the list of passes. */
export function passes(page) {
  return page.$$eval('[data-pass]', (all) =>
    all.map((item) => ({ index: Number(item.dataset.pass), name: item.dataset.name, changed: item.dataset.changed === 'true' })),
  );
}

/** Selects a pass by a part of its name. */
export async function selectPass(page, name) {
  await page.locator(`[data-pass][data-name*="${name}"]`).first().click();
  await frame(page);
}

/** Fails if axe finds something serious in light or dark. */
export async function checkAccess(page) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(150);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
      const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join(' | ')}`);
    });
    assert.deepEqual(found, []);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Writes pictures of the page, light and dark, if they are asked for. */
export async function shoot(page, name) {
  if (!process.env.EXPLORER_SHOTS) return;
  const folder = join(root, 'docs/explorer');
  mkdirSync(folder, { recursive: true });
  const session = await page.context().newCDPSession(page);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200);
    // Small enough for a repository.
    let picture;
    for (let quality = 60; quality >= 20 && !(picture?.length < 56_000); quality -= 10) {
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
      picture = Buffer.from(data, 'base64');
    }
    writeFileSync(join(folder, `${name}-${colorScheme}.webp`), picture);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
