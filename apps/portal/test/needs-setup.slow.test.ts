import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { servePortal } from '@latchkey/server/portal';
import { siteFolder } from '../config/folders.ts';
import { type OpenSite, siteForSuite, type Visit, withoutBrowser } from './site.ts';

const page = '/help-docs/set-up-the-bot/telegram-setup';
const line = 'This server has no Telegram bot. Its operator can change that: Connect Telegram.';
const inside = 'Prepare the group';

describe('a page about what the operator may not have set up', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  let telling: OpenSite;

  before(async () => {
    const setUp = { telegram: false, discord: true };
    telling = await servePortal({ folder: siteFolder, host: '127.0.0.1', port: 0, setUp });
  });
  after(() => telling.close());

  /** Opens the site beside a server without Telegram. */
  const readBeside = (path: string, visit?: Visit) => site.visit(`${telling.url}${path}`, visit);

  test('is one line with a link to set it up, and opens with a click', async () => {
    await using opened = await readBeside(page);
    const article = opened.page.locator('article');
    const heading = article.getByRole('heading', { name: inside });
    assert.equal(await article.getByText(line).isVisible(), true);
    assert.equal(await heading.isVisible(), false);
    const link = article.getByRole('link', { name: 'Connect Telegram' });
    assert.equal(await link.getAttribute('href'), '/operators/telegram');
    await article.getByText('Show it anyway').click();
    await heading.waitFor();
    await article.getByText('Hide it again').click();
    await heading.waitFor({ state: 'hidden' });
    assert.deepEqual(opened.faults, []);
  });

  test('is folded before any script runs, so that nothing shifts', async () => {
    await using plain = await readBeside(page, { javaScriptEnabled: false, startsUp: false });
    const article = plain.page.locator('article');
    assert.equal(await article.getByText(line).isVisible(), true);
    assert.equal(await article.getByRole('heading', { name: inside }).isVisible(), false);
    await article.getByText('Show it anyway').click();
    assert.equal(await article.getByRole('heading', { name: inside }).isVisible(), true);
    await using alive = await readBeside(page);
    const shift = await alive.page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          const add = (entries: PerformanceEntryList) => {
            for (const entry of entries) sum += (entry as PerformanceEntry & { value: number }).value;
          };
          const observer = new PerformanceObserver((list) => add(list.getEntries()));
          observer.observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              add(observer.takeRecords());
              resolve(sum);
            }),
          );
        }),
    );
    assert.ok(shift < 0.01, `the page moved by ${shift}`);
  });

  test('is open at an address inside of it', async () => {
    await using opened = await readBeside(`${page}#share-the-right-link`);
    await opened.page.locator('#share-the-right-link').waitFor();
    assert.equal(await opened.page.locator('article').getByText(line).isVisible(), true);
  });

  test('is folded after a link within the site too', async () => {
    await using opened = await readBeside('/help-docs/set-up-the-bot/channels');
    const article = opened.page.locator('article');
    await opened.page.getByRole('link', { name: 'Set up a Telegram group' }).first().click();
    await opened.page.getByRole('heading', { level: 1, name: 'Set up a Telegram group' }).waitFor();
    await article.getByText(line).waitFor();
    assert.equal(await article.getByRole('heading', { name: inside }).isVisible(), false);
    assert.deepEqual(opened.faults, []);
  });

  test('is shown in full where the part is set up and where that is unknown', async () => {
    await using ready = await readBeside('/help-docs/set-up-the-bot/channels');
    await using alone = await site.visit(page);
    await using failing = await site.visit(page, {
      routes: { '**/settings.json': (route) => route.abort() },
      expectsRefusals: true,
    });
    for (const [{ page: shown }, heading] of [
      [ready, 'Create the channels'],
      [alone, inside],
      [failing, inside],
    ] as const) {
      await shown.getByRole('heading', { name: heading }).waitFor();
      assert.equal(await shown.locator('article aside:visible').count(), 0);
      assert.equal(await shown.getByText('Show it anyway').isVisible(), false);
    }
  });

  test('is folded on a host of files whose settings say so', async () => {
    await using opened = await site.visit(page, { settings: { setUp: { telegram: false } } });
    await opened.page.locator('article').getByText(line).waitFor();
    assert.equal(await opened.page.getByRole('heading', { name: inside }).isVisible(), false);
  });

  test('gives machines the full text, without the note about what is missing', async () => {
    const emulator = await (await fetch(`${telling.url}${page}.md`)).text();
    assert.match(emulator, /## Prepare the group/);
    assert.doesNotMatch(emulator, /has no Telegram bot|Show it anyway/);
  });
});
