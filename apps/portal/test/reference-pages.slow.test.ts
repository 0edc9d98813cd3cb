import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
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
const primary = 'rgb(24, 144, 255)';
const most = { bytes: 300_000, elements: 5_000 };
const withoutScripts = { javaScriptEnabled: false, startsUp: false };

describe('the API reference, as pages', () => {
  const site = siteForSuite();

  test('has a menu of 300 pixels, and one colour for where one is and what one can press', {
    skip: withoutBrowser,
  }, async () => {
    await using opened = await site.visit('/apis/states/createState', { viewport: { width: 1400, height: 900 } });
    const { page, faults } = opened;
    const menu = page.getByRole('navigation', { name: 'API resources' });
    assert.equal(await menu.evaluate((nav) => nav.getBoundingClientRect().width), 300);
    const entry = menu.getByRole('link', { name: /^Stored states/ });
    const own = menu.getByRole('link', { name: 'POST Store a state' });
    assert.equal(await own.getAttribute('aria-current'), 'page');
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
    await main.getByRole('link', { name: /^POST \/states / }).click();
    const operation = main.locator('[id="tag/states/operation/createState"]');
    await operation.getByRole('heading', { level: 1, name: 'Store a state' }).waitFor();
    await operation.getByText('POST', { exact: true }).waitFor();
    await operation.getByText('/states', { exact: true }).waitFor();
    await operation.getByRole('rowheader', { name: 'slug' }).waitFor();
    for (const code of ['AUTHENTICATION_REQUIRED', 'SCOPE_NOT_ALLOWED', 'RATE_LIMITED'])
      await operation.getByText(code, { exact: true }).first().waitFor();
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

  test('has a page for every operation, with an address for every field, that is quick to open', () => {
    assert.ok(operations.length > 400);
    for (const { operationId, line, resource, parameters = [] } of operations) {
      const html = readFileSync(join(siteFolder, 'apis', resource, operationId, 'index.html'), 'utf8');
      const elements = [...elementsOf(readTree(html))];
      const ids = elements.map((element) => attributeOf(element, 'id')).filter((id) => id !== undefined);
      const known = new Set(ids);
      assert.equal(known.size, ids.length, `${line} has two elements with the same id.`);
      const fields = elements.filter(({ tagName }) => tagName === 'tr');
      assert.ok(
        fields.every((row) => attributeOf(row, 'id') !== undefined),
        `${line} has a field without an id.`,
      );
      const anchor = `tag/${resource}/operation/${operationId}`;
      const section = elements.find((element) => attributeOf(element, 'id') === anchor);
      assert.ok(section !== undefined && textOf(section).includes(line), `${line} is not at #${anchor}.`);
      const missing = parameters.filter(({ name }) => !known.has(`${anchor}/${name}`));
      assert.deepEqual(missing, [], line);
      assert.match(textOf(section), /"statusCode": \d+/, `${line} shows no refusal.`);
    }
  });

  test('no page has more than 300 KB of HTML or 5,000 elements', () => {
    const large = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .map((name) => {
        const html = readFileSync(join(siteFolder, name), 'utf8');
        return { name, bytes: Buffer.byteLength(html), elements: html.match(/<[a-z]/g)?.length ?? 0 };
      })
      .filter(({ bytes, elements }) => bytes > most.bytes || elements > most.elements);
    assert.deepEqual(large, []);
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
