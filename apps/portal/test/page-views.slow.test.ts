import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { siteForSuite, withoutBrowser } from './site.ts';

const endpoint = '/page-views';

describe('page views', { skip: withoutBrowser }, () => {
  const site = siteForSuite();

  interface Reading {
    prepare?(page: Page): Promise<unknown>;
    /** Whether to wait for the endpoint to receive each view before the next page is read. */
    isTold?: boolean;
  }

  /** Reads three pages, searches twice, and returns what the endpoint received. */
  async function read(settings: object, { prepare, isTold: isReported = false }: Reading = {}): Promise<unknown[]> {
    const notified: unknown[] = [];
    let pages = 0;
    const finishPage = async () => {
      pages += 1;
      if (isReported) await until(`${pages} page views were reported`, () => notified.length >= pages);
    };
    await using opened = await site.visit('/docs/intro', {
      settings,
      viewport: { width: 1400, height: 900 },
      ...(prepare !== undefined && { prepare }),
      routes: {
        [`**${endpoint}`]: (route) => {
          notified.push({ ...route.request().postDataJSON(), cookie: route.request().headers().cookie });
          return route.fulfill({ status: 204 });
        },
      },
    });
    const { page, faults } = opened;
    await page.context().addCookies([{ name: 'reader', value: 'somebody', url: site.url }]);
    // By keyboard: the element under the mouse may move while the page scrolls to a heading.
    await page.locator('.theme-doc-toc-desktop a').first().press('Enter');
    await page.waitForURL('**#*');
    await finishPage();
    const bar = page.locator('.navbar');
    for (const [name, path] of [
      ['Telefrens', '/telefrens/intro'],
      ['Blog', '/blog'],
    ] as const) {
      await bar.getByRole('link', { name }).press('Enter');
      await page.waitForURL(`**${path}`);
      await page.locator('.navbar__link--active', { hasText: name }).waitFor();
      await finishPage();
    }
    await page.goto(`${site.url}/search?q=lost`);
    await page.locator('html[data-has-hydrated=true]').waitFor();
    await page.getByRole('searchbox').fill('secret');
    await page.waitForURL('**?q=secret');
    await finishPage();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(faults, []);
    return notified;
  }

  test('are not sent anywhere unless the host of the site sets an endpoint', async () => {
    assert.deepEqual(await read({}), []);
  });

  test('contain the path and the title of each page once, and nothing about the reader', async () => {
    const view = (path: string, title: string) => ({
      name: 'page_view',
      path,
      title: `${title} | Latchkey documentation`,
      anonymizeIp: true,
      cookie: undefined,
    });
    assert.deepEqual(await read({ analytics: { endpoint } }, { isTold: true }), [
      view('/docs/intro', 'Getting started for developers'),
      view('/telefrens/intro', 'Telefrens: introduction'),
      view('/blog', 'Blog'),
      { ...view('/search', ''), title: 'Search' },
    ]);
  });

  for (const [name, value] of [
    ['doNotTrack', '1'],
    ['globalPrivacyControl', true],
  ] as const)
    test(`are not sent for a reader who opts out with ${name}`, async () => {
      const sayNo = (page: Page) =>
        page.addInitScript(([key, reply]) => Object.defineProperty(navigator, key, { value: reply }), [
          name,
          value,
        ] as const);
      assert.deepEqual(await read({ analytics: { endpoint } }, { prepare: sayNo }), []);
    });
});
