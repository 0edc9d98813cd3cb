import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import type { Page, Route } from 'playwright-core';
import questions from '../search/questions.json' with { type: 'json' };
import { siteForSuite, withoutBrowser } from './site.ts';

describe('search', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Search', exact: true });
  const fieldOf = (page: Page) => dialogOf(page).getByRole('combobox');
  const optionsOf = (page: Page) => dialogOf(page).getByRole('option');

  async function searchFor(page: Page, text: string): Promise<void> {
    if (!(await dialogOf(page).isVisible())) await page.keyboard.press('Control+k');
    await fieldOf(page).fill(text);
  }
  const pathsOf = async (page: Page) =>
    optionsOf(page).evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));

  test('opens with both shortcuts, but not with a slash that is being typed, and with a slash right after Escape', async () => {
    await using opened = await site.visit('/help-docs/intro');
    const { page, faults } = opened;
    for (const key of ['/', 'Control+k', '/', 'Meta+k']) {
      await page.keyboard.press(key);
      await fieldOf(page).waitFor();
      assert.equal(await fieldOf(page).evaluate((field) => field === document.activeElement), true);
      await page.keyboard.press('Escape');
      await dialogOf(page).waitFor({ state: 'hidden' });
    }
    await page.keyboard.press('Control+k');
    await fieldOf(page).pressSequentially('and/or');
    assert.equal(await fieldOf(page).inputValue(), 'and/or');
    await page.keyboard.press('Control+k');
    await dialogOf(page).waitFor({ state: 'hidden' });
    assert.deepEqual(faults, []);
  });

  test('keeps the focus while it is open and gives it back', async () => {
    await using opened = await site.visit('/help-docs/intro');
    const { page } = opened;
    const button = page.getByRole('button', { name: 'Search' });
    await button.click();
    await fieldOf(page).fill('wallet');
    await optionsOf(page).first().waitFor();
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
      await page.keyboard.press(key);
      assert.equal(await page.evaluate(() => document.activeElement?.closest('dialog') !== null), true, key);
    }
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'hidden' });
    assert.equal(await button.evaluate((element) => element === document.activeElement), true);
  });

  test('shows results while typing, and is controlled with arrows and Enter', async () => {
    await using opened = await site.visit('/help-docs/intro');
    const { page, faults } = opened;
    await page.keyboard.press('/');
    await fieldOf(page).pressSequentially('verify your wal');
    await optionsOf(page).getByText('Verify your wallet', { exact: true }).first().waitFor();
    const activeOf = () => fieldOf(page).getAttribute('aria-activedescendant');
    const first = await activeOf();
    assert.equal(await optionsOf(page).first().getAttribute('id'), first);
    await page.keyboard.press('ArrowDown');
    assert.equal(await optionsOf(page).nth(1).getAttribute('id'), await activeOf());
    assert.equal(await optionsOf(page).nth(1).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('ArrowUp');
    assert.equal(await activeOf(), first);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/help-docs/wallets/verify-your-wallet');
    await page.getByRole('heading', { level: 1, name: 'Verify your wallet' }).waitFor();
    assert.equal(await dialogOf(page).isVisible(), false);
    await page.keyboard.press('/');
    await dialogOf(page).getByRole('button', { name: 'verify your wal' }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('says that there are no results, what to try, and where to report it', async () => {
    await using opened = await site.visit('/dao/intro');
    const { page, faults } = opened;
    await searchFor(page, 'xqzvbn');
    const dialog = dialogOf(page);
    await dialog.getByText('No results for “xqzvbn”').waitFor();
    await dialog.getByText('Try searching for', { exact: true }).waitFor();
    await dialog.getByText('Believe this query should return results?').waitFor();
    const link = dialog.getByRole('link', { name: 'Let us know.', exact: true });
    assert.equal(await link.getAttribute('href'), '/help-docs/FAQ/contact-team?query=xqzvbn');
    await dialog.getByRole('button', { name: 'voting' }).click();
    await optionsOf(page).first().waitFor();
    assert.deepEqual(faults, []);
  });

  test('forgives typos and finds operations by their path', async () => {
    await using opened = await site.visit('/help-docs/intro');
    const { page } = opened;
    for (const [text, path] of [
      ['metamsk', '/help-docs/wallets/connecting-using-different-wallets/metamask'],
      ['verfy walet', '/help-docs/wallets/verify-your-wallet'],
      ['POST /access-control/check-roles', '/apis/access-control/checkRoles'],
    ] as const) {
      await searchFor(page, text);
      await page.waitForFunction(
        (wanted) => document.querySelector('[role=option]')?.getAttribute('href') === wanted,
        path,
      );
    }
  });

  test('finds the best page from every section, and no operation before the pages', async () => {
    for (const from of ['/dao/intro', '/operators/intro', '/telefrens/intro']) {
      await using opened = await site.visit(from);
      const { page } = opened;
      await searchFor(page, 'verify your wallet');
      await optionsOf(page).locator('mark').getByText('wallet', { exact: false }).first().waitFor();
      const paths = await pathsOf(page);
      assert.equal(paths[0], '/help-docs/wallets/verify-your-wallet', from);
      assert.ok(!paths.slice(0, 5).some((path) => path.startsWith('/apis/')), `from ${from}: ${paths}`);
    }
  });

  test('links to a page of all results that loads more while scrolling', async () => {
    await using opened = await site.visit('/help-docs/intro');
    const { page, faults } = opened;
    await searchFor(page, 'wallet');
    await dialogOf(page)
      .getByRole('link', { name: /^See all \d+ results$/ })
      .click();
    await page.waitForURL('**/search?q=wallet');
    await page.getByRole('heading', { level: 1, name: 'Search results for "wallet"' }).waitFor();
    await page.waitForFunction(() => document.title.startsWith('Search results for "wallet" |'));
    await page.getByText(/^\d+ documents found$/).waitFor();
    const rows = page.locator('main li');
    const atFirst = await rows.count();
    assert.ok(atFirst > 5);
    await rows.last().scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 20_000);
    await page.waitForFunction((count) => document.querySelectorAll('main li').length > count, atFirst);
    assert.ok((await rows.first().locator('mark').count()) > 0);
    assert.match(await rows.first().innerText(), /Members & Admins/);
    assert.deepEqual(faults, []);
  });

  test('invites on an empty page, is not listed by others, and chooses versions only where there are several', async () => {
    await using opened = await site.visit('/search');
    const { page, faults } = opened;
    await page.getByRole('heading', { level: 1, name: 'Search the documentation' }).waitFor();
    assert.match((await page.locator('meta[name=robots]').getAttribute('content')) ?? '', /noindex/);
    assert.equal(await page.getByRole('main').count(), 1);
    assert.equal(await page.locator('main select').count(), 1);
    await page.getByRole('searchbox').fill('getPkpBalance');
    await page.getByRole('searchbox').fill('xqzvbn');
    await page.waitForURL('**/search?q=xqzvbn');
    const main = page.getByRole('main');
    await main.getByText('No results for “xqzvbn”').waitFor();
    await main.getByText('Try searching for', { exact: true }).waitFor();
    await main.getByText('Believe this query should return results?').waitFor();
    await main.getByRole('link', { name: 'Let us know.', exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('answers a question that is in the address', async () => {
    await using opened = await site.visit('/search?q=wallet');
    const { page, faults } = opened;
    await page.getByRole('heading', { level: 1, name: 'Search results for "wallet"' }).waitFor();
    await page.getByText(/^\d+ documents found$/).waitFor();
    await page
      .locator('main li mark')
      .getByText(/wallet/i)
      .first()
      .waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'wallet');
    assert.deepEqual(faults, []);
  });

  test('keeps what was typed on its page before the scripts loaded', async () => {
    for (const path of ['/search', '/search?q=wallet']) {
      await using opened = await site.visit(path, {
        prepare: (page) =>
          page.route('**/assets/js/main.*.js', async (route) => {
            await page.getByRole('searchbox').fill('passkey');
            await route.continue();
          }),
      });
      const { page, faults } = opened;
      await page.getByRole('heading', { level: 1, name: 'Search results for "passkey"' }).waitFor();
      await page.waitForURL('**/search?q=passkey');
      assert.equal(await page.getByRole('searchbox').inputValue(), 'passkey');
      assert.deepEqual(faults, []);
    }
  });

  test('uses a hosted service instead if the settings say so, with the context of the page', async () => {
    const search = { kind: 'hosted', appId: 'APP', apiKey: 'public', indexName: 'docs' } as const;
    const requests: unknown[] = [];
    const answer = (route: Route) => {
      requests.push(route.request().postDataJSON());
      const hierarchy = { lvl0: 'DAO', lvl1: 'Voting' };
      const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
      const hits = [{ url: 'http://elsewhere.test/dao/voting', hierarchy }];
      return route.fulfill({ headers, json: { results: [{ hits, nbHits: 1 }] } });
    };
    await using opened = await site.visit('/dao/intro', {
      settings: { search },
      routes: { 'https://app-dsn.algolia.net/**': answer },
    });
    const { page } = opened;
    await searchFor(page, 'vote');
    await optionsOf(page).getByText('Voting').waitFor();
    const [{ facetFilters } = { facetFilters: [] }] = (requests.at(-1) as { requests: { facetFilters: unknown[] }[] })
      .requests;
    assert.deepEqual(facetFilters[0], 'language:en');
    assert.ok((facetFilters[1] as string[]).includes('docusaurus_tag:docs-dao-current'));
  });

  test('is fast in the page', async (context) => {
    await using opened = await site.visit('/');
    const { page, faults } = opened;
    await searchFor(page, 'warm');
    await page.waitForFunction(() => document.querySelector('[role=option]') !== null);
    // Neighboring queries have different results, so that each change is visible.
    const rounds: number[][] = [];
    for (let round = 0; round < volume(1, 3); round += 1) {
      const answered: number[] = [];
      for (const { question } of questions) answered.push(await page.evaluate(timeAnswer, question));
      rounds.push(answered);
    }
    const times = questions.map((_, place) => {
      const sorted = rounds.map((round) => round[place] ?? 0).sort((one, other) => one - other);
      return sorted[Math.floor(sorted.length / 2)] ?? 0;
    });
    times.sort((one, other) => one - other);
    const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
    context.diagnostic(`From a question to its answers on the screen: median ${at(0.5)} ms, p95 ${at(0.95)} ms.`);
    assert.deepEqual(faults, []);
  });
});

/** Runs in the page: measures the time from a change of the text until other results are shown. */
async function timeAnswer(text: string): Promise<number> {
  const field = document.querySelector<HTMLInputElement>('dialog input');
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
  const shown = () => document.querySelector('dialog')?.innerHTML;
  const before = shown();
  const startedAt = performance.now();
  setValue?.call(field, text);
  const written = new Promise<void>((resolve) => {
    const observer = new MutationObserver(() => {
      if (shown() === before) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  field?.dispatchEvent(new Event('input', { bubbles: true }));
  await written;
  return performance.now() - startedAt;
}
