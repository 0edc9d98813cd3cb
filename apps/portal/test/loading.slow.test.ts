import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { siteFolder } from '../config/folders.ts';
import { siteForSuite, withoutBrowser } from './site.ts';

const scripts = join(siteFolder, 'assets/js');
/** Finds the file with the text of one page, which nothing else needs. */
function findChunk(): string {
  const isWanted = (name: string) =>
    readFileSync(join(scripts, name), 'utf8').includes('"source":"@site/telefrens/intro.md"');
  const found = readdirSync(scripts).find(isWanted);
  assert.ok(found, 'No file holds the text of the page.');
  return `/assets/js/${found}`;
}

const link = (page: Page) => page.locator('.navbar').getByRole('link', { name: 'Telefrens' });
const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Telefrens' });
/** With a full stop if the rest of the page is still around it. */
const crash = (page: Page) => page.getByRole('heading', { level: 1, name: /^This page crashed\.?$/ });

/** A browser with data saving, or on a slow connection. */
const pretendConnection = (connection: { saveData: boolean; effectiveType: string }) => (page: Page) =>
  page.addInitScript((value) => Object.defineProperty(navigator, 'connection', { value }), connection);

/** Replaces the default export of a file. */
const exportInstead = (code: string) => async (route: Route) => {
  const answer = await route.fetch();
  const body = (await answer.text()).replace(/default:\(\)=>\w+/, () => `default:()=>${code}`);
  return route.fulfill({ response: answer, body });
};

describe('a page that is on its way', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  const chunk = findChunk();
  const address = `**${chunk}`;

  test('shows a bar when it takes longer than a fifth of a second, and only then', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    await using opened = await site.visit('/docs/intro', {
      prepare: (page) => page.clock.install(),
      routes: {
        [address]: async (route) => {
          hold();
          await released;
          await route.continue();
        },
      },
    });
    const { page, faults } = opened;
    const bar = page.locator('#nprogress');
    // The clock runs until it is paused, and cannot be paused in the past.
    const pause = async () => page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
    await pause();
    await link(page).click();
    await held;
    await page.clock.runFor(190);
    assert.equal(await bar.count(), 0);
    await page.clock.runFor(20);
    assert.equal(await bar.count(), 1);
    release();
    await page.clock.resume();
    await heading(page).waitFor();
    await bar.waitFor({ state: 'detached' });
    await pause();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor();
    await page.clock.runFor(1000);
    assert.equal(await bar.count(), 0);
    assert.deepEqual(faults, []);
  });

  for (const [does, begin] of [
    ['points at', (page: Page) => link(page).hover()],
    ['puts a finger on', (page: Page) => link(page).dispatchEvent('touchstart')],
  ] as const)
    test(`is fetched when a link to it is seen, and loaded when a reader ${does} the link`, async () => {
      await using opened = await site.visit('/docs/intro', { hasTouch: true, fetchesAhead: true });
      const { page, faults } = opened;
      await page.locator(`head link[rel=prefetch][href="${chunk}"]`).waitFor({ state: 'attached' });
      const loaded = page.waitForRequest(
        (request) => request.url().endsWith(chunk) && request.resourceType() === 'script',
      );
      await begin(page);
      await loaded;
      assert.equal(new URL(page.url()).pathname, '/docs/intro');
      assert.deepEqual(faults, []);
    });

  for (const connection of [
    { saveData: true, effectiveType: '4g' },
    { saveData: false, effectiveType: 'slow-2g' },
  ])
    test(`is not fetched ahead on ${connection.saveData ? 'a connection that saves data' : 'a slow connection'}`, async () => {
      const requests: string[] = [];
      await using opened = await site.visit('/docs/intro', {
        fetchesAhead: true,
        prepare: async (page) => {
          page.on('request', (request) => requests.push(new URL(request.url()).pathname));
          await pretendConnection(connection)(page);
        },
      });
      const { page, faults } = opened;
      await link(page).hover();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.locator('head link[rel=prefetch]').count(), 0);
      assert.equal(requests.includes(chunk), false);
      await link(page).click();
      await heading(page).waitFor();
      assert.equal(requests.includes(chunk), true);
      assert.deepEqual(faults, []);
    });

  test('shows an error when something could not be loaded, and loads it on Retry', async () => {
    await using opened = await site.visit('/telefrens/intro', {
      startsUp: false,
      routes: { [address]: (route) => route.abort() },
    });
    const { page } = opened;
    const box = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Retry' }) });
    await box.waitFor();
    assert.equal(await box.evaluate((element) => getComputedStyle(element).backgroundColor), 'rgb(250, 56, 62)');
    assert.match(await box.innerText(), /ChunkLoadError: Loading chunk \d+ failed/);
    // The readable content is still there.
    assert.equal(await heading(page).isVisible(), true);
    await page.unroute(address);
    await box.getByRole('button', { name: 'Retry' }).click();
    await page.locator('html[data-has-hydrated=true]').waitFor();
    assert.equal(await box.count(), 0);
  });

  test('is reloaded when a part of it is gone, as after a new version of the site', async () => {
    await using opened = await site.visit('/docs/intro', {
      prepare: (page) => page.route(address, (route) => route.abort(), { times: 1 }),
    });
    const { page } = opened;
    const reloaded = page.waitForRequest((request) => request.isNavigationRequest());
    await link(page).click();
    assert.equal(new URL((await reloaded).url()).pathname, '/telefrens/intro');
    // Until the response arrives, the old page is shown, which works as well.
    await heading(page).waitFor();
    await page.locator('html[data-has-hydrated=true]').waitFor();
    assert.equal(await heading(page).isVisible(), true);
  });

  test('that crashes says so and can be tried again', async () => {
    const broken = 'function(){if(!globalThis.isMended)throw new Error("The page broke.");return null}';
    await using opened = await site.visit('/docs/intro', {
      prepare: (page) => page.route(address, exportInstead(broken)),
    });
    const { page } = opened;
    await link(page).click();
    await crash(page).waitFor();
    assert.equal(await crash(page).innerText(), 'This page crashed.');
    assert.equal(await page.getByText('The page broke.').isVisible(), true);
    await page.evaluate('globalThis.isMended = true');
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await heading(page).waitFor();
    assert.equal(await crash(page).count(), 0);
  });

  test('that exports nothing by default says so', async () => {
    await using opened = await site.visit('/docs/intro', {
      prepare: (page) => page.route(address, exportInstead('void 0')),
    });
    const { page } = opened;
    await link(page).click();
    await crash(page).waitFor();
    const text =
      "The page component at /telefrens/intro doesn't have a default export. This makes it impossible to render " +
      'anything. Consider default-exporting a React component.';
    assert.equal(await page.getByText(text, { exact: true }).isVisible(), true);
  });

  test('says which item of the bar at the top cannot be drawn', async () => {
    await using opened = await site.visit('/docs/intro', {
      startsUp: false,
      prepare: (page) =>
        page.route('**/assets/js/main.*.js', async (route) => {
          const answer = await route.fetch();
          const body = (await answer.text()).replace(
            'docsPluginId:"telefrens",docId:"intro"',
            'docsPluginId:"telefrens",docId:"nowhere"',
          );
          return route.fulfill({ response: answer, body });
        }),
    });
    const { page } = opened;
    await crash(page).waitFor();
    assert.equal(await crash(page).innerText(), 'This page crashed');
    const text = await page.locator('body').innerText();
    assert.match(text, /A theme navbar item failed to render/);
    assert.match(text, /"docId": "nowhere"/);
  });

  test('that does not exist is reported as missing, with similar pages', async () => {
    assert.equal((await fetch(`${site.url}/docs/intor`)).status, 404);
    await using opened = await site.visit('/docs/intor', { expectsRefusals: true });
    const { page, faults } = opened;
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: '/docs/intro', exact: true }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Main' }).isVisible(), true);
    assert.equal(await page.getByRole('contentinfo').isVisible(), true);
    await page.getByRole('link', { name: 'Search for “docs intor”' }).click();
    await page.waitForURL('**/search?q=docs%20intor');
    assert.equal(await page.getByRole('main').getByRole('searchbox').inputValue(), 'docs intor');
    assert.deepEqual(faults, []);
  });
});
