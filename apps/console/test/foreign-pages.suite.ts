import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { TestServer } from '@latchkey/server/testing/test-server';
import { openPage } from './harness/browser.ts';
import type { Running } from './harness/running.ts';

/** What a page made of a call: what it could read, or that the browser kept it from reading anything. */
interface Seen {
  status: number;
  code: string | undefined;
  requestId: string | null;
}

interface PageCall {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  credentials?: 'include';
}

const path = '/axie-infinity/rules';

/** Pages of other sites that call the API, as Chromium lets them. */
export function foreignPagesSuite(running: () => Running): void {
  let site: Server;
  let listed: string;
  let other: string;
  let restricted: { id: string; key: string };
  let open: { id: string; key: string };
  before(async () => {
    site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>');
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    // The first is of the same site as the server, by its host: the closest that another origin can be.
    listed = `http://127.0.0.1:${port}`;
    other = `http://elsewhere.localhost:${port}`;
    const { server } = running();
    restricted = await appWith(server, [listed]);
    open = await appWith(server, []);
  });
  after(() => {
    site?.closeAllConnections();
    site?.close();
  });

  async function appWith(server: TestServer, allowedOrigins: string[]) {
    const app = await server.apiKey(['user:read'], `DIS#USER#maker${allowedOrigins.length}`);
    const changed = await server.request('PUT', `/client-apps/${app.id}`, {
      headers: { 'x-api-key': server.adminKey },
      json: { status: 'APPROVED', name: 'Elsewhere', allowedScopes: ['user:read'], allowedOrigins },
    });
    assert.equal(changed.status, 204, changed.text);
    return app;
  }

  /** Calls from a page of this origin; undefined when the browser lets the page read nothing. */
  async function callFrom(origin: string, calls: readonly PageCall[]): Promise<(Seen | undefined)[]> {
    const { server, browser } = running();
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(origin);
    return await page.evaluate(
      async ({ url, wanted }) => {
        const seen: (Seen | undefined)[] = [];
        for (const { path: target, ...init } of wanted) {
          try {
            const answer = await fetch(url + target, init);
            const text = await answer.text();
            const { error } = text.startsWith('{') ? JSON.parse(text) : { error: undefined };
            seen.push({
              status: answer.status,
              code: error?.code ?? error,
              requestId: answer.headers.get('x-request-id'),
            });
          } catch {
            seen.push(undefined);
          }
        }
        return seen;
      },
      { url: server.url, wanted: calls },
    );
  }

  const outcomes = (seen: readonly (Seen | undefined)[]) => seen.map((one) => one && [one.status, one.code]);

  test('a wallet login needs no registration to be asked for, and its refusals can be read', async () => {
    const { server } = running();
    const json = { 'content-type': 'application/json' };
    const ask = (body: object): PageCall => ({
      method: 'POST',
      path: '/ethereum-login/challenges',
      headers: json,
      body: JSON.stringify(body),
    });
    const account = 'evm:1:0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const preflights = () => server.logLines.filter((line) => line.includes('"OPTIONS"')).length;
    const before = preflights();
    const seen = await callFrom(other, [ask({ accountId: account, state: 's' }), ask({ accountId: 5 })]);
    assert.deepEqual(outcomes(seen), [
      [200, undefined],
      [422, 'VALIDATION_FAILED'],
    ]);
    assert.ok(preflights() > before, 'the browser has asked first');
    assert.match(seen[0]?.requestId ?? '', /^[A-Za-z0-9]{21}$/);
  });

  test('keys and tokens work on the pages they are meant for, and other pages are told why not', async () => {
    const { server } = running();
    const calls: PageCall[] = [
      { path, headers: { 'x-api-key': restricted.key } },
      { path, headers: { 'x-api-key': open.key } },
      { path, headers: { authorization: await server.bearer('DIS#USER#1', ['user:read'], restricted.id) } },
      { path, headers: { authorization: await server.bearer('DIS#USER#1', ['user:read'], open.id) } },
      { path, headers: { authorization: await server.aeToken('DIS#USER#1') } },
      { path, headers: { 'x-api-key': server.adminKey } },
      { path },
      { path, headers: { 'x-api-key': 'unknown.api-key' } },
      { method: 'PATCH', path: '/no/such/path', headers: { 'x-api-key': open.key } },
    ];
    const always = [
      [401, 'AUTHENTICATION_REQUIRED'],
      [401, 'INVALID_CREDENTIAL'],
      [404, 'ROUTE_NOT_FOUND'],
    ];
    const [taken, refused] = [
      [200, undefined],
      [403, 'CLIENT_NOT_ALLOWED'],
    ];
    const fromListed = [taken, taken, taken, taken, taken, refused, ...always];
    const fromOther = [refused, taken, refused, taken, refused, refused, ...always];
    assert.deepEqual(outcomes(await callFrom(listed, calls)), fromListed);
    assert.deepEqual(outcomes(await callFrom(other, calls)), fromOther);
  });

  test('the token endpoint is called by pages as the API is', async () => {
    const basic = `Basic ${Buffer.from(`${open.id}:wrong`).toString('base64')}`;
    const form = 'application/x-www-form-urlencoded';
    const call = {
      method: 'POST',
      path: '/oauth2/token',
      headers: { authorization: basic, 'content-type': form },
      body: 'grant_type=client_credentials',
    };
    assert.deepEqual(outcomes(await callFrom(other, [call])), [[401, 'invalid_client']]);
  });

  test('no page can call with the cookies of this server, nor read its pages', async () => {
    const calls: PageCall[] = [
      { path: '/ping', credentials: 'include' },
      { path, credentials: 'include', headers: { 'x-api-key': open.key } },
      { path: '/account' },
      { path: '/connect/none' },
    ];
    for (const origin of [listed, other])
      assert.deepEqual(await callFrom(origin, calls), [undefined, undefined, undefined, undefined]);
  });
}
