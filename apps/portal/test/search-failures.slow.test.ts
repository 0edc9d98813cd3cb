import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { siteFolder } from '../config/folders.ts';
import type { Settings } from '../src/settings.ts';
import { siteForSuite, withoutBrowser } from './site.ts';

interface Source {
  name: string;
  address: string;
  settings: Partial<Settings>;
  /** The response once it can be reached again. Defaults to what the site has. */
  answer?: unknown;
}

const sources: Source[] = [
  { name: 'the index', address: '**/search-index.json', settings: {} },
  {
    name: 'the hosted service',
    address: 'https://app-dsn.algolia.net/**',
    settings: { search: { kind: 'hosted', appId: 'APP', apiKey: 'public', indexName: 'docs' } },
    answer: {
      results: [{ hits: [{ url: 'http://elsewhere.test/wallet', hierarchy: { lvl0: 'Wallet' } }], nbHits: 1 }],
    },
  },
];

const fieldOf = (page: Page) => page.getByRole('dialog', { name: 'Search', exact: true }).getByRole('combobox');

/** Finds the file with the code of the dialog, which nothing else needs. */
function findDialogCode(): string {
  const scripts = join(siteFolder, 'assets/js');
  const holds = (name: string) => readFileSync(join(scripts, name), 'utf8').includes('aria-activedescendant');
  const found = readdirSync(scripts).filter(holds);
  assert.equal(found.length, 1, 'The code of the dialog is not in one file.');
  return `**/assets/js/${found[0]}`;
}

describe('search that cannot reach what it needs', { skip: withoutBrowser }, () => {
  const site = siteForSuite();

  async function searchInDialog(page: Page): Promise<void> {
    await page.keyboard.press('Control+k');
    await fieldOf(page).fill('wallet');
  }
  const searchOnPage = (page: Page) => page.getByRole('searchbox').fill('wallet');

  for (const { name, address, settings, answer } of sources)
    for (const [where, search] of [
      ['the dialog', searchInDialog],
      ['the results page', searchOnPage],
    ] as const)
      test(`says in ${where} that ${name} cannot be reached, and recovers`, async () => {
        await using opened = await site.visit('/search', { settings, expectsRefusals: true });
        const { page, faults } = opened;
        await page.route(address, (route) => route.abort());
        await search(page);
        await page.getByText('Unable to fetch results', { exact: true }).waitFor();
        await page.getByText('You might want to check your network connection.', { exact: true }).waitFor();
        await page.unroute(address);
        const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
        if (answer !== undefined) await page.route(address, (route) => route.fulfill({ headers, json: answer }));
        await page.getByRole('button', { name: 'Try again' }).click();
        await page
          .getByRole('option', { name: /wallet/i })
          .or(page.getByRole('main').getByRole('link', { name: /wallet/i }))
          .first()
          .waitFor();
        assert.equal(await page.getByText('Unable to fetch results').count(), 0);
        const isRequested = (fault: string) => answer !== undefined && fault.startsWith('request: https://app-dsn.');
        assert.deepEqual(
          faults.filter((fault) => !isRequested(fault)),
          [],
        );
      });

  test('says so when its own code cannot be loaded, and opens once it can', async () => {
    const code = findDialogCode();
    await using opened = await site.visit('/help-docs/intro', {
      expectsRefusals: true,
      routes: { [code]: (route) => route.abort() },
    });
    const { page, faults } = opened;
    await page.keyboard.press('Control+k');
    const failure = page.getByRole('alert').filter({ hasText: 'Unable to fetch results' });
    await failure.filter({ hasText: 'You might want to check your network connection.' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 1);
    await page.unroute(code);
    await page.keyboard.press('Control+k');
    await fieldOf(page).waitFor();
    assert.equal(await failure.count(), 0);
    assert.deepEqual(faults, []);
  });
});
