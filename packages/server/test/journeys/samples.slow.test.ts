import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { freePorts } from '../harness/processes.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { authorize, openBrowser } from '../oauth/browser.ts';
import { registerClient } from '../oauth/sample-client.ts';

const samples = resolve(import.meta.dirname, '../../../../samples');
const contract = '0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d';
const scripts: Readonly<Record<string, string>> = { express: 'server.js', 'static-page': 'start.js' };

/** A sample as its start command runs it, once it has said where it is. */
async function start(name: string, env: Record<string, string>): Promise<ChildProcess & AsyncDisposable> {
  const child = spawn(process.execPath, [scripts[name] ?? ''], {
    cwd: join(samples, name),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return Object.assign(child, {
    [Symbol.asyncDispose]: async () => {
      if (child.kill()) await once(child, 'exit');
    },
  });
}

describe('samples', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  test('each of them is run here', () => {
    const folders = readdirSync(samples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(folders.map(({ name }) => name).toSorted(), Object.keys(scripts).toSorted());
  });

  test('the Express page signs people in, and stays shut to who does not qualify', async () => {
    const port = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    const client = await registerClient(server, { redirectUris: [`${url}/callback`] });
    await using _sample = await start('express', {
      LATCHKEY_URL: server.url,
      PORT: String(port),
      REDIRECT_URI: client.redirectUri,
      CLIENT_ID: client.id,
      CLIENT_SECRET: client.secret ?? '',
      CONTRACT: contract,
    });
    const get = (path: string, cookie = '') =>
      fetch(new URL(path, url), { redirect: 'manual', headers: { accept: 'text/html', cookie } });
    const shut = await get('/members');
    assert.equal(shut.headers.get('location'), '/login');
    const login = await get('/login');
    const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
    const back = await authorize(server, openBrowser(server), login.headers.get('location') ?? '');
    // Somebody else's browser cannot finish what this one began.
    assert.equal((await get(`/callback${back.search}`)).status, 400);
    const entered = await get(`/callback${back.search}`, cookie);
    assert.equal(entered.headers.get('location'), '/members', await entered.text());
    const members = await get('/members', cookie);
    assert.ok([403, 503].includes(members.status), String(members.status));
    assert.equal((await get(`/callback${back.search}`, cookie)).status, 400);
  });

  test('the static page is served whole, and its call is accepted from its origin alone', async () => {
    const port = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    await using _sample = await start('static-page', { PORT: String(port) });
    const page = await (await fetch(url)).text();
    assert.match(page, /\/access-control\/check-roles/);
    assert.equal((await fetch(`${url}/other`)).status, 404);
    const owner = 'DIS#USER#5101';
    const { id, key } = await server.apiKey(['token-gating'], owner);
    const authorization = await server.aeToken(owner);
    const origins = { headers: { authorization }, json: { allowedOrigins: [url] } };
    assert.equal((await server.request('PUT', `/latchkey/client-apps/${id}/origins`, origins)).status, 200);
    const rule = { type: 'ERC721', chainId: 1, contractAddress: contract, minToken: '1', roleId: 'holder' };
    const call = (origin: string) =>
      server.request('POST', '/access-control/check-roles', {
        headers: { 'x-api-key': key, origin },
        json: { account: contract, rules: [rule] },
      });
    assert.equal((await call(url)).status, 200);
    assert.equal((await call('https://elsewhere.example')).status, 403);
  });
});
