import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { findViolations } from '@latchkey/console/testing/axe';
import { freePorts } from '@latchkey/server/testing/processes';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { until } from '@latchkey/test-kit';
import type { Locator, Page } from 'playwright-core';
import { siteForSuite, type Visit, withoutBrowser } from './site.ts';

describe('the API reference, alive', { skip: withoutBrowser }, () => {
  const site = siteForSuite();
  let server: TestServer;
  /** A URL at which nothing responds. */
  let nowhere: string;
  before(async () => {
    nowhere = `http://127.0.0.1:${await freePorts()}`;
    server = await startTestServer({ LATCHKEY_PORTAL_URL: site.url });
  });
  after(() => server?.close());

  /** Opens a page of the reference with a preset server, and records its requests to that server. */
  async function visit(path: string, { address, ...options }: Visit & { address?: string } = {}) {
    const requests: string[] = [];
    const opened = await site.visit(path, {
      ...options,
      ...(address !== undefined && { session: { 'latchkey.server': address } }),
      listen: (page) =>
        page.on('request', (request) => {
          if (!request.url().startsWith(site.url)) requests.push(`${request.method()} ${request.url()}`);
        }),
    });
    // These pages are meant to send requests to the reader's own server.
    const faultsOfPage = () => opened.faults.filter((fault) => !fault.startsWith('request: '));
    return { ...opened, requests, faultsOfPage, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  }
  const notice = (page: Page) => page.getByRole('complementary', { name: 'The description of your server' });

  async function openConsole(page: Page, name: string): Promise<Locator> {
    await page.getByRole('button', { name: `Try it: ${name}`, exact: true }).click();
    const opened = page.getByRole('region', { name: `Console for ${name}`, exact: true });
    await opened.waitFor();
    return opened;
  }

  test('the menu lists everything on a wide screen, and is reachable on a narrow one', async () => {
    for (const width of [1200, 390]) {
      await using opened = await visit('/apis/access-control', { viewport: { width, height: 800 } });
      const { page } = opened;
      const menu = page.getByRole('navigation', { name: 'API resources' });
      const isWide = width > 996;
      assert.equal(await menu.getByRole('link', { name: 'Discovery' }).isVisible(), isWide);
      if (isWide) continue;
      const entry = menu.getByRole('link', { name: 'Check roles for a wallet' });
      assert.equal(await entry.isVisible(), false);
      await menu.getByText('Operations of this resource').click();
      await entry.waitFor();
      await menu.getByRole('link', { name: 'All resources' }).click();
      await page.waitForURL('**/apis/#resources');
      await page.getByRole('heading', { name: 'Resources' }).waitFor();
    }
  });

  test('without a server it says what is shown, and accepts one for this tab', async () => {
    await using opened = await visit('/apis/states');
    const { page, requests } = opened;
    await page.locator('[data-live="unknown"]').waitFor();
    await notice(page).getByText('version 0.78.2 that came with this site. Name your server').waitFor();
    assert.deepEqual(requests, []);
    await notice(page).getByText('Name your server', { exact: true }).click();
    const field = notice(page).getByLabel('Address of your server');
    await field.fill('http://api.example');
    await field.press('Enter');
    await notice(page).getByText('http:// only on your own machine').waitFor();
    await field.fill(`${server.url}/`);
    await field.press('Enter');
    await notice(page).getByText('Version 0.78.2, fetched').waitFor();
    await notice(page).getByText(`from ${server.url}. It is the same as on these pages.`).waitFor();
    assert.deepEqual(requests, [`GET ${server.url}/openapi.json?all=true`]);
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    assert.ok(!kept.includes(new URL(server.url).host), 'another tab does not learn of it');
    await page.reload();
    await notice(page).getByText('Version 0.78.2, fetched').waitFor();
    await notice(page).getByText('Use another server').click();
    await notice(page).getByRole('button', { name: 'Forget this server' }).click();
    await notice(page).getByText('Name your server to see').waitFor();
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('a description that cannot be loaded is reported, and loaded on retry', async () => {
    await using opened = await visit('/apis/', { address: nowhere, expectsRefusals: true });
    const { page } = opened;
    await notice(page).getByText(`The description of ${nowhere} could not be loaded.`).waitFor();
    await notice(page).getByText('This page shows the description of version 0.78.2').waitFor();
    await page.route(`${nowhere}/openapi.json?all=true`, async (route) =>
      route.fulfill({ response: await route.fetch({ url: `${server.url}/openapi.json?all=true` }) }),
    );
    await notice(page).getByRole('button', { name: 'Retry' }).click();
    await notice(page).getByText('Version 0.78.2, fetched').waitFor();
  });

  test('differences of the server are described in words and marked', async () => {
    await using opened = await visit('/apis/', { address: nowhere, expectsRefusals: true });
    const { page } = opened;
    const { json: description } = await server.request('GET', '/openapi.json?all=true');
    description.info.version = '0.79.0';
    description.paths['/states/new'] = { post: { ...description.paths['/states'].post, operationId: 'newState' } };
    delete description.paths['/config'];
    description.paths['/qrcode/{data}'].get.parameters.push({
      name: 'size',
      in: 'query',
      required: true,
      schema: { type: 'number' },
    });
    await page.route(`${nowhere}/openapi.json?all=true`, (route) =>
      route.fulfill({ json: description, headers: { 'access-control-allow-origin': '*' } }),
    );
    await page.reload();
    await notice(page).getByText('Version 0.79.0, fetched').waitFor();
    await notice(page).getByText('3 operations differ on that server').click();
    await notice(page).getByText('POST /states/new').waitFor();
    await notice(page).getByText('Has the parameter size now, which is required.').waitFor();
    assert.equal(await page.getByText('not on your server').count(), 1);
    await notice(page).getByRole('link', { name: 'GET /qrcode/{data}' }).click();
    await page.waitForURL('**/apis/qrcode/generateQrCode');
    await page.getByRole('main').getByText('changed on your server').waitFor();
    await notice(page).getByText('3 operations differ on that server, 1 of them on this page').waitFor();
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('a request goes to the server with the key, which stays in the tab', async () => {
    const { key } = await server.apiKey(['state:create']);
    await using opened = await visit('/apis/states/createState', { address: server.url, expectsRefusals: true });
    const { page, requests } = opened;
    const console = await openConsole(page, 'POST /states');
    await console.getByLabel('API key', { exact: true }).check();
    const secret = console.getByRole('textbox', { name: 'API key' }).or(console.locator('input[type="password"]'));
    assert.equal(await secret.getAttribute('type'), 'password');
    await secret.fill('wrong');
    await console.getByLabel('JSON').fill('{ "url": ');
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByText('This is not JSON').waitFor();
    await console.getByLabel('JSON').and(page.locator(':focus')).waitFor();
    await console.getByLabel('JSON').fill('{ "colour": "<b>red</b>" }');
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByText('401', { exact: false }).first().waitFor();
    await console.getByText('The credential is missing or invalid').waitFor();
    assert.match(
      (await console.getByRole('link', { name: 'Authentication' }).getAttribute('href')) ?? '',
      /api\/authentication$/,
    );
    await secret.fill(key);
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByText(/^200/).waitFor();
    await console.getByText('"slug"').waitFor();
    await console.getByText('As curl').click();
    const curl = await console.locator('details pre').innerText();
    assert.match(curl, /-H "x-api-key: \$API_KEY"/);
    assert.ok(!curl.includes(key));
    assert.ok(!requests.some((requested) => requested.includes(key)));
    assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes(key));
    await page.reload();
    const again = await openConsole(page, 'POST /states');
    assert.equal(await again.locator('input[type="password"]').inputValue(), key);
    await again.getByRole('button', { name: 'Show' }).click();
    assert.equal(await again.locator('input[type="password"]').count(), 0);
    await again.getByRole('button', { name: 'Forget' }).click();
    assert.ok(!(await page.evaluate(() => JSON.stringify(sessionStorage))).includes(key));
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('examples follow the language, the server and the key of the reader, and show errors', async () => {
    const secret = 'abcd-0123456789-wxyz';
    const name = 'POST /access-control/check-roles';
    await using opened = await visit('/apis/access-control/checkRoles', { address: server.url, expectsRefusals: true });
    const { page } = opened;
    const operation = page.locator('[id="tag/access-control/operation/checkRoles"]');
    const blocks = operation.locator('div:has(> pre)');
    const [request, answer] = [blocks.first().locator('pre'), blocks.last().locator('pre')];
    const language = operation.getByLabel(`Language of the example of ${name}`);
    await operation.getByText(`curl -s -X POST '${server.url}/access-control/check-roles'`).waitFor();
    await operation.getByText('"x-api-key: $API_KEY"').waitFor();
    for (const [choice, words] of [
      ['client', `await call('${name}'`],
      ['fetch', `await fetch('${server.url}/access-control/check-roles'`],
      ['go', 'http.NewRequest("POST"'],
      ['python', 'requests.post('],
    ] as const) {
      await language.selectOption(choice);
      assert.ok((await request.innerText()).includes(words), choice);
    }
    await notice(page).getByText('Add your key').click();
    await notice(page).getByLabel('API key', { exact: true }).check();
    await notice(page).locator('input[type="password"]').fill(secret);
    await operation.getByText('"x-api-key": "abcd…wxyz"').waitFor();
    assert.ok(!(await operation.innerText()).includes('0123456789'));
    await operation.getByRole('button', { name: `Response 401 of ${name}` }).click();
    assert.match(await answer.innerText(), /"code": "AUTHENTICATION_REQUIRED"/);
    assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes(secret));
    await page
      .getByRole('navigation', { name: 'API resources' })
      .getByRole('link', { name: /^GET Check a member/ })
      .first()
      .click();
    const other = page.getByLabel('Language of the example of GET /access-control/{communityId}/{userId}/roles');
    await other.waitFor();
    assert.equal(await other.inputValue(), 'python', 'the choice holds on every page');
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('samples of a signed-in reader name their own application, and say so', async () => {
    const userId = 'DIS#USER#7301';
    const { id } = await server.apiKey(['state:create'], userId);
    const token = (await server.aeToken(userId)).replace(/^AE /, '');
    await using opened = await visit('/apis/client-apps/findClientAppById', {
      expectsRefusals: true,
      session: { 'latchkey.server': server.url, 'latchkey.credential': JSON.stringify({ kind: 'ae', secret: token }) },
    });
    const { page } = opened;
    await page.getByText(/^This sample names your application/).waitFor();
    await page.getByText(`${server.url}/client-apps/${id}`).waitFor();
    const console = await openConsole(page, 'GET /client-apps/{id}');
    await until('it is in the console', async () => (await console.getByLabel(/^id /).inputValue()) === id);
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByText(/^200/).waitFor();
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('images are shown as images, and public operations need no key', async () => {
    await using opened = await visit('/apis/qrcode/generateQrCode', { address: server.url });
    const console = await openConsole(opened.page, 'GET /qrcode/{data}');
    assert.equal(await console.getByText('Credential').count(), 0);
    assert.notEqual(await console.getByLabel(/^data /).inputValue(), '');
    await console.getByLabel(/^data /).fill('');
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByText('This parameter is required.').waitFor();
    await console.getByLabel(/^data /).fill('a key & a door');
    await console.getByRole('button', { name: 'Send' }).click();
    const picture = console.getByRole('img', { name: 'The server’s response' });
    await picture.waitFor();
    assert.ok(
      (await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))) > 20,
    );
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('nothing is deleted before the reader confirms', async () => {
    const { id } = await server.apiKey(['state:create']);
    await using opened = await visit('/apis/client-apps/deleteClientAppRequest', { address: server.url });
    const { page, requests } = opened;
    const console = await openConsole(page, 'DELETE /client-apps/{id}');
    await console.getByLabel('API key', { exact: true }).check();
    await console.locator('input[type="password"]').fill(server.adminKey);
    await console.getByLabel(/^id /).fill(id);
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByText(`This deletes on ${server.url}: DELETE /client-apps/${id}`).waitFor();
    await console.getByRole('button', { name: 'Cancel' }).click();
    assert.ok(!requests.some((requested) => requested.startsWith('DELETE')));
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByRole('button', { name: 'Yes, delete' }).click();
    await console.getByText(/^20\d/).waitFor();
    assert.ok(requests.some((requested) => requested === `DELETE ${server.url}/client-apps/${id}`));
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('nothing of the reader’s is changed before they confirm, and what only reads is sent at once', async () => {
    const community = { id: 'DIS#COMM#42', communityId: '42', name: 'Cats' };
    const headers = { 'access-control-allow-origin': '*' };
    const kept = { kind: 'ae', secret: (await server.aeToken('DIS#USER#7')).replace(/^AE /, '') };
    const sentBy = (requests: string[], method: string) => requests.filter((line) => line.startsWith(`${method} `));
    const see = (path: string) =>
      visit(path, {
        expectsRefusals: true,
        session: { 'latchkey.server': server.url, 'latchkey.credential': JSON.stringify(kept) },
        routes: {
          '**/account/administrated-communities*': (route) => route.fulfill({ json: { items: [community] }, headers }),
        },
      });
    {
      await using opened = await see('/apis/latchkey/takeOverFromShadow');
      const { page, requests } = opened;
      const name = 'POST /latchkey/communities/{communityId}/shadow-mode/take-over';
      const console = await openConsole(page, name);
      await console.and(page.locator('[aria-busy=false]')).waitFor();
      await page.getByText('This sample names your community Cats').waitFor();
      const path = '/latchkey/communities/DIS%23COMM%2342/shadow-mode/take-over';
      const question = console.getByText(`This changes your community Cats on ${server.url}: POST ${path}`);
      await console.getByRole('button', { name: 'Send' }).click();
      await question.waitFor();
      await console.getByRole('button', { name: 'Cancel' }).click();
      await console.getByRole('button', { name: 'Send' }).click();
      await console.getByLabel(/^communityId /).fill('DIS#COMM#43');
      await question.waitFor({ state: 'detached' });
      assert.deepEqual(sentBy(requests, 'POST'), []);
      await console.getByLabel(/^communityId /).fill(community.id);
      await console.getByRole('button', { name: 'Send' }).click();
      await console.getByRole('button', { name: 'Yes, send' }).click();
      await console.getByText(/^404/).waitFor();
      assert.deepEqual(sentBy(requests, 'POST'), [`POST ${server.url}${path}`]);
    }
    await using opened = await see('/apis/latchkey/describeRuleDraft');
    const name = 'POST /latchkey/communities/{communityId}/rule-drafts/describe';
    const console = await openConsole(opened.page, name);
    await opened.page.getByText('This sample names your community Cats').waitFor();
    await console.getByRole('button', { name: 'Send' }).click();
    await console.getByText(/^404/).waitFor();
    assert.equal(sentBy(opened.requests, 'POST').length, 1);
  });

  test('a server that allows no other site is explained', async () => {
    const closed = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    try {
      await using opened = await visit('/apis/states/createState', { address, expectsRefusals: true });
      const console = await openConsole(opened.page, 'POST /states');
      await console.getByRole('button', { name: 'Send' }).click();
      await console.getByText('No answer', { exact: true }).waitFor();
      await console.getByText(`LATCHKEY_PORTAL_URL=${site.url}`).waitFor();
    } finally {
      closed.closeAllConnections();
      await new Promise((resolve) => closed.close(resolve));
    }
  });

  test('the rule builder writes rules and checks what is pasted', async () => {
    await using opened = await visit('/docs/common-reference-docs/configuring-rules');
    const { page } = opened;
    const builder = page.getByRole('region', { name: 'Rule builder' });
    await builder.scrollIntoViewIfNeeded();
    await builder.getByText('This rule is valid.').waitFor();
    await builder.getByLabel('Type', { exact: true }).selectOption('ERC1155');
    await builder.getByText('/contractAddress').waitFor();
    await builder.getByLabel('chainId').fill('137');
    await builder.getByLabel('contractAddress').fill('0x3333333333333333333333333333333333333333');
    await builder.getByText('/tokenId').waitFor();
    await builder.getByLabel('tokenId').fill('4,8-10');
    await builder.getByLabel('roleId').fill('badge');
    await builder.getByText('The role badge goes to anyone who holds at least 1').waitFor();
    const text = builder.getByLabel('The rule as JSON');
    assert.deepEqual(JSON.parse(await text.inputValue()), {
      type: 'ERC1155',
      chainId: 137,
      contractAddress: '0x3333333333333333333333333333333333333333',
      tokenId: '4,8-10',
      roleId: 'badge',
    });
    await text.fill('{ "type": ');
    await builder.getByText('This is not JSON').waitFor();
    await text.fill('{ "rules": [{ "type": "ERC20", "chainId": "1" }] }');
    await builder.getByText('/rules/0/chainId').waitFor();
    assert.deepEqual(opened.faultsOfPage(), []);
  });

  test('open consoles and the builder pass axe, wide and narrow, light and dark', async () => {
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      await using opened = await visit('/apis/user-authorizations/deleteUserAuthorization', {
        address: server.url,
        viewport: { width, height: 900 },
      });
      const { page } = opened;
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      const console = await openConsole(page, 'DELETE /user-authorizations/{clientId}');
      await console.getByLabel('AE token', { exact: true }).check();
      await console.getByLabel(/^clientId /).fill('');
      await console.getByRole('button', { name: 'Send' }).click();
      await console.getByText('This parameter is required.').waitFor();
      assert.deepEqual(await findViolations(page, 'main'), [], theme);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `too wide at ${width}`);
      await page.goto(`${site.url}/docs/common-reference-docs/configuring-rules`);
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      await page.getByRole('region', { name: 'Rule builder' }).scrollIntoViewIfNeeded();
      await page.getByText('This rule is valid.').waitFor();
      assert.deepEqual(await findViolations(page, 'main'), [], theme);
    }
  });
});
