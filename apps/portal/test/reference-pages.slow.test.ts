import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { siteFolder } from '../config/folders.ts';
import { attributeOf, elementsOf, readTree, textOf } from '../finish/tree.ts';
import { type ApiDocument, listOperations, resourceOf } from '../reference/openapi.ts';
import { siteForSuite, withoutBrowser } from './site.ts';

const api: ApiDocument = JSON.parse(readFileSync(join(siteFolder, 'apis/openapi.json'), 'utf8'));
const operations = listOperations(api).map(({ method, path, described }) => ({
  ...described,
  line: `${method} ${path}`,
  resource: resourceOf(described),
}));
const resources = [...new Set(operations.map(({ resource }) => resource))];
const primary = 'rgb(24, 144, 255)';
const withoutScripts = { javaScriptEnabled: false, startsUp: false };

describe('the API reference, as pages', () => {
  const site = siteForSuite();

  test('has a menu of 300 pixels, and one colour for where one is and what one can press', {
    skip: withoutBrowser,
  }, async () => {
    await using opened = await site.visit('/apis/states', { viewport: { width: 1400, height: 900 } });
    const { page, faults } = opened;
    const menu = page.getByRole('navigation', { name: 'API resources' });
    assert.equal(await menu.evaluate((nav) => nav.getBoundingClientRect().width), 300);
    const entry = menu.getByRole('link', { name: /^Stored states/ });
    assert.equal(await entry.getAttribute('aria-current'), 'page');
    assert.equal(await entry.evaluate((link) => getComputedStyle(link).borderLeftColor), primary);
    const other = menu.getByRole('link', { name: /^Short links/ });
    assert.notEqual(await other.evaluate((link) => getComputedStyle(link).borderLeftColor), primary);
    const button = page.getByRole('button', { name: 'Try it: POST /states' });
    assert.equal(await button.evaluate((element) => getComputedStyle(element).borderTopColor), primary);
    assert.deepEqual(faults, []);
  });

  test('shows operations, fields and errors without scripts', { skip: withoutBrowser }, async () => {
    await using opened = await site.visit('/apis/', withoutScripts);
    const { page, faults } = opened;
    const main = page.getByRole('main');
    for (const name of ['Resources', 'Credentials', 'Errors']) await main.getByRole('heading', { name }).waitFor();
    await main.getByText('Every error has one shape').waitFor();
    const lines = await main
      .locator('li > a')
      .evaluateAll((rows) => rows.map((row) => row.textContent?.trim().replace(/\s+/g, ' ') ?? ''));
    assert.deepEqual(lines.toSorted(), operations.map(({ line, summary }) => `${line} ${summary}`).toSorted());
    await main.getByRole('link', { name: 'Stored states', exact: true }).click();
    await main.getByRole('heading', { level: 1, name: 'Stored states' }).waitFor();
    const operation = main.locator('[id="tag/states/operation/createState"]');
    await operation.getByRole('heading', { name: 'Store a state' }).waitFor();
    await operation.getByText('POST', { exact: true }).waitFor();
    await operation.getByText('/states', { exact: true }).waitFor();
    await operation.getByRole('rowheader', { name: 'slug' }).waitFor();
    await operation.getByText(/^Statuses: 400, 401, .+\. All errors have the same format\./).waitFor();
    assert.deepEqual(faults, []);
  });

  test('links to guides that can also be read without scripts', { skip: withoutBrowser }, async () => {
    await using opened = await site.visit('/help-docs/wallets/verify-your-wallet', withoutScripts);
    const { page, faults } = opened;
    const main = page.getByRole('main');
    await main.getByRole('heading', { level: 1, name: 'Verify your wallet' }).waitFor();
    await main.getByRole('heading', { level: 2, name: 'The first time' }).waitFor();
    await main.getByText('choose your wallet and sign one message').waitFor();
    assert.deepEqual(faults, []);
  });

  test('has its own address for every operation and every field', () => {
    for (const resource of resources) {
      const elements = [
        ...elementsOf(readTree(readFileSync(join(siteFolder, 'apis', resource, 'index.html'), 'utf8'))),
      ];
      const ids = elements.map((element) => attributeOf(element, 'id')).filter((id) => id !== undefined);
      const known = new Set(ids);
      assert.equal(known.size, ids.length, `${resource} has two elements with the same id.`);
      const fields = elements.filter(({ tagName }) => tagName === 'tr');
      assert.ok(
        fields.every((row) => attributeOf(row, 'id') !== undefined),
        `${resource} has a field without an id.`,
      );
      for (const { operationId, line, parameters = [] } of operations.filter((one) => one.resource === resource)) {
        const anchor = `tag/${resource}/operation/${operationId}`;
        const section = elements.find((element) => attributeOf(element, 'id') === anchor);
        assert.ok(section !== undefined && textOf(section).includes(line), `${line} is not at #${anchor}.`);
        const missing = parameters.filter(({ name }) => !known.has(`${anchor}/${name}`));
        assert.deepEqual(missing, [], line);
      }
    }
  });

  test('reads the description of the configured API, and nothing else', { skip: withoutBrowser }, async () => {
    const apiUrl = 'https://api.example.org';
    const requests: string[] = [];
    await using opened = await site.visit('/apis/states', {
      settings: { apiUrl },
      routes: {
        [`${apiUrl}/**`]: (route) => {
          requests.push(`${route.request().method()} ${route.request().url()}`);
          return route.fulfill({ json: api, headers: { 'access-control-allow-origin': '*' } });
        },
      },
    });
    const { page, faults } = opened;
    const notice = page.getByRole('complementary', { name: 'The description of your server' });
    await notice.getByText(`Version ${api.info.version}, fetched`).waitFor();
    await notice.getByText(`from ${apiUrl}. It is the same as on these pages.`).waitFor();
    assert.deepEqual(requests, [`GET ${apiUrl}/openapi.json?all=true`]);
    assert.deepEqual(faults, [`request: ${apiUrl}/openapi.json?all=true`]);
  });
});
