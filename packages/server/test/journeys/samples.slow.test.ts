import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { Auth } from '@auth/core';
import { getToken } from '@auth/core/jwt';
import { contextFor, decideMiniApp } from '@latchkey/core';
import { createGate } from '@latchkey/gate';
import { volume } from '@latchkey/test-kit';
import { keepAccess, latchkey, visitorOf } from '../../../../samples/nextjs/latchkey.ts';
import { packAll } from '../../../../scripts/packages/pack.ts';
import { publishable } from '../../../../scripts/packages/publishable.ts';
import { runNpm } from '../../../../scripts/packages/run-tool.ts';
import { caller } from '../harness/call-api.ts';
import { aliceId, malloryId } from '../harness/identities.ts';
import { makeOrganization } from '../harness/mini-app-world.ts';
import { type OutsideWorld, outsideWorld, people } from '../harness/outside-world.ts';
import { freePorts } from '../harness/processes.ts';
import { keyRule, linkWallet } from '../harness/set-up-community.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { authorize, openBrowser, type Person } from '../oauth/browser.ts';
import { registerClient, type SampleClient } from '../oauth/sample-client.ts';

const samples = resolve(import.meta.dirname, '../../../../samples');
/** How each is started: what its start command runs. */
const commands: Readonly<Record<string, readonly string[]>> = {
  express: ['server.js'],
  'mini-app': ['server.js'],
  'static-page': ['start.js'],
  nextjs: ['node_modules/next/dist/bin/next', 'start'],
};

/** Starts a sample with its start command, and waits until it prints its URL. */
async function start(
  name: string,
  env: Record<string, string>,
  folder = join(samples, name),
): Promise<ChildProcess & AsyncDisposable> {
  const child = spawn(process.execPath, commands[name] ?? [], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (/http:\/\/|Ready/.test(line)) break;
  child.stdout.resume();
  return Object.assign(child, {
    [Symbol.asyncDispose]: async () => {
      if (child.kill()) await once(child, 'exit');
    },
  });
}

const holder: Person = { userId: aliceId, platform: 'discord', name: 'alice' };
const stranger: Person = { userId: malloryId, platform: 'discord', name: 'mallory' };

describe('samples', () => {
  let server: TestServer;
  let outside: OutsideWorld;
  before(async () => {
    outside = await outsideWorld();
    server = await startTestServer(outside.environment);
    await linkWallet(caller(server, await server.aeToken(aliceId)), outside, people.alice);
  });
  after(() => server.close());

  /** Returns the settings of a sample: the server, and its credentials there. */
  const settings = (client: SampleClient) => ({
    LATCHKEY_URL: server.url,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret ?? '',
    CONTRACT: outside.chain.contracts.erc721,
    CHAIN_ID: String(outside.chain.chainId),
  });

  test('each of them is run here', () => {
    const folders = readdirSync(samples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    // The rules are not a program: packages/cli/src/rules.test.ts runs their tests.
    assert.deepEqual(folders.map(({ name }) => name).toSorted(), [...Object.keys(commands), 'rules'].toSorted());
  });

  test('the Express page admits only token holders', async () => {
    const port = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    const client = await registerClient(server, { redirectUris: [`${url}/callback`] });
    const env = { ...settings(client), PORT: String(port), REDIRECT_URI: client.redirectUri };
    await using _sample = await start('express', env);
    const get = (path: string, cookie = '') =>
      fetch(new URL(path, url), { redirect: 'manual', headers: { accept: 'text/html', cookie } });
    const signIn = async (person: Person) => {
      const login = await get('/login');
      const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
      const back = await authorize(server, openBrowser(server), login.headers.get('location') ?? '', { person });
      return { cookie, callback: `/callback${back.search}` };
    };
    const shut = await get('/members');
    assert.equal(shut.headers.get('location'), '/login');
    const { cookie, callback } = await signIn(holder);
    // Another user's browser cannot finish what this one started.
    assert.equal((await get(callback)).status, 400);
    const entered = await get(callback, cookie);
    assert.equal(entered.headers.get('location'), '/members', await entered.text());
    const members = await get('/members', cookie);
    assert.equal(await members.text(), 'Welcome, member!');
    assert.equal((await get(callback, cookie)).status, 400);

    const other = await signIn(stranger);
    await get(other.callback, other.cookie);
    assert.equal((await get('/members', other.cookie)).status, 403);
  });

  test('the provider of the Next.js sample signs users in through Auth.js, and its token passes the gate', async () => {
    // Nothing listens there: the requests go to the library itself.
    const url = 'http://127.0.0.1:9';
    const client = await registerClient(server, { redirectUris: [`${url}/api/auth/callback/latchkey`] });
    const secret = server.services.random.id(32);
    const browser = openAuth(url, {
      basePath: '/api/auth',
      secret,
      trustHost: true,
      providers: [{ ...latchkey, issuer: server.url, clientId: client.id, clientSecret: client.secret ?? '' }],
      callbacks: { jwt: keepAccess },
    });
    const rule = { ...keyRule(outside, 'member'), minToken: '1' };
    const gate = createGate({ baseUrl: server.url, apiKey: '', rules: [rule] });
    for (const [person, status] of [
      [holder, 'granted'],
      [stranger, 'denied'],
    ] as const) {
      const { csrfToken } = await (await browser.send('/api/auth/csrf')).json();
      const form = new URLSearchParams({ csrfToken, callbackUrl: `${url}/members` });
      const begun = await browser.send('/api/auth/signin/latchkey', { method: 'POST', body: form });
      const requested = begun.headers.get('location') ?? '';
      const back = await authorize(server, openBrowser(server), requested, { person });
      const ended = await browser.send(`${back.pathname}${back.search}`);
      assert.equal(ended.headers.get('location'), `${url}/members`);
      const token = await getToken({ req: browser.request('/members'), secret, secureCookie: false });
      const visitor = visitorOf(token);
      assert.ok(visitor);
      assert.equal((await gate.check(visitor)).status, status);
      assert.equal(visitorOf(token, Number(token?.expiresAt) * 1000), undefined);
      assert.equal(
        JSON.stringify(await (await browser.send('/api/auth/session')).json()).includes('ccessToken'),
        false,
      );
    }
    assert.equal(visitorOf(null), undefined);
  });

  // Its installation needs 200 MB. The test above covers the same without Next.js.
  const skip = volume(0, 1) === 0 && 'for npm run test:deep';
  test('the Next.js sample builds, signs users in and admits token holders', { skip }, async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'latchkey-sample-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    const packed = await packAll(publishable, join(home, 'packed'));
    const gate = packed.find(({ name }) => name === '@latchkey/gate')?.tarball ?? '';
    const folder = join(home, 'nextjs');
    await cp(join(samples, 'nextjs'), folder, { recursive: true });
    await runNpm(folder, ['install', '--ignore-scripts', '--prefer-offline', gate], { isOnline: true });

    const port = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    const client = await registerClient(server, { redirectUris: [`${url}/api/auth/callback/latchkey`] });
    const env = {
      ...settings(client),
      PORT: String(port),
      AUTH_URL: url,
      AUTH_SECRET: server.services.random.id(32),
      NEXT_TELEMETRY_DISABLED: '1',
      HOME: home,
    };
    const [next = ''] = commands.nextjs ?? [];
    const build = spawn(process.execPath, [next, 'build'], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    assert.deepEqual(await once(build, 'exit'), [0, null]);
    await using _sample = await start('nextjs', env, folder);
    assert.match(await (await fetch(url)).text(), /Log in|Sign in/i);
    for (const [person, status] of [
      [holder, 200],
      [stranger, 403],
    ] as const) {
      const visitor = openBrowser({ url });
      assert.equal((await visitor.get('/members')).location, '/login');
      const { location } = await visitor.get('/login');
      const back = await authorize(server, openBrowser(server), location, { person });
      await visitor.get(back.href);
      const members = await visitor.get('/members');
      assert.equal(members.status, status, members.text);
      const { status: known } = JSON.parse((await visitor.get('/api/holder')).text);
      assert.equal(known, status === 200 ? 'granted' : 'denied');
    }
  });

  test('the mini-app passes the server’s probe, is listed, and refuses unsigned calls', async () => {
    const port = await freePorts();
    const url = `http://127.0.0.1:${port}`;
    await using _sample = await start('mini-app', { LATCHKEY_URL: server.url, PORT: String(port) });
    const { manifest } = (await (await fetch(`${url}/metadata`)).json()) as { manifest: { name: string } };
    assert.equal(manifest.name, 'Dice');
    const send = (headers: Record<string, string>) =>
      fetch(`${url}/interactions`, { method: 'POST', headers, body: JSON.stringify({ type: 2 }) });
    assert.equal((await send({})).status, 400);
    const forged = { 'x-signature-timestamp': String(Date.now()), 'x-signature-ed25519': '00'.repeat(64) };
    assert.equal((await send(forged)).status, 401);
    const owner = 'DIS#USER#5102';
    const about = { pk: await makeOrganization(server, owner), name: 'Dice', description: 'Rolls a die.', url };
    const headers = { authorization: await server.aeToken(owner) };
    const { json: app } = await server.request('POST', '/miniapps', { headers, json: about });
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    await decideMiniApp(operator, { id: app.id, decision: 'approve' });
    assert.equal((await decideMiniApp(operator, { id: app.id, decision: 'list' })).status, 'LISTED');
  });

  test('the static page is served completely, and its call is accepted only from its origin', async () => {
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
    const rule = {
      type: 'ERC721',
      chainId: outside.chain.chainId,
      contractAddress: outside.chain.contracts.erc721,
      minToken: '1',
      roleId: 'holder',
    };
    const call = (origin: string) =>
      server.request('POST', '/access-control/check-roles', {
        headers: { 'x-api-key': key, origin },
        json: { account: people.alice.address, rules: [rule] },
      });
    assert.equal((await call(url)).status, 200);
    assert.equal((await call('https://elsewhere.example')).status, 403);
  });
});

/** A visitor of a page whose server is just the library: keeps its cookies. */
function openAuth(url: string, config: Parameters<typeof Auth>[1]) {
  const jar = new Map<string, string>();
  const request = (path: string, init: RequestInit = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    return new Request(new URL(path, url), { ...init, headers: { cookie } });
  };
  return {
    request,
    send: async (path: string, init?: RequestInit): Promise<Response> => {
      const response = await Auth(request(path, init), config);
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, value);
      }
      return response;
    },
  };
}
