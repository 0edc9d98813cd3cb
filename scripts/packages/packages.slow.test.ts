import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { contextFor, decideMiniApp, resources } from '@latchkey/core';
import { makeOrganization } from '@latchkey/server/testing/mini-app-world';
import { startTestServer, type TestServer } from '@latchkey/server/testing/test-server';
import { volume } from '@latchkey/test-kit';
import { Webhook } from 'standardwebhooks';
import { bundle } from './bundle.ts';
import { type Packed, packAll } from './pack.ts';
import { newProject, type Project, readSamples } from './project.ts';
import { publishable } from './publishable.ts';
import { root, runNpm } from './run-tool.ts';

/** The files in the README of the mini-app library, in order. */
const names = ['mini-app.js', 'start.js', 'mini-app.test.js'];

const skip = volume(0, 1) === 0 && 'for npm run test:deep';

/** Packs, installs, bundles and compiles them with the tools of others. */
describe('the packages that others install', { skip }, () => {
  let home: string;
  let packed: Map<string, Packed>;
  let project: Project;
  let server: TestServer;
  before(async () => {
    // Inside the repository, where the compiler finds what the packages are compiled with.
    await mkdir(join(root, 'dist'), { recursive: true });
    home = await mkdtemp(join(root, 'dist/test-'));
    packed = new Map((await packAll(publishable, home)).map((each) => [each.name, each]));
    project = await newProject([...packed.values()].map(({ tarball }) => tarball));
    server = await startTestServer({ LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true' });
  });
  after(async () => {
    await server?.close();
    await project?.[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  const packageNamed = (name: string): Packed => packed.get(name) ?? assert.fail(`${name} was not packed`);

  test('contain the build, a README and the licence, and no sources', () => {
    assert.equal(packed.size, publishable.length);
    for (const { name, files } of packed.values()) {
      assert.ok(files.includes('README.md') && files.includes('LICENSE'), name);
      const isTool = name.startsWith('create-') || name === '@latchkey/cli';
      assert.ok(isTool || (files.includes('dist/index.js') && files.includes('dist/index.d.ts')), name);
      assert.deepEqual(
        files.filter((path) => /^src\/|^dist\/.*\.test\.|[^d]\.tsx?$/.test(path)),
        [],
        name,
      );
    }
  });

  describe('@latchkey/cli', () => {
    test('tests rules and runs queries without a server, and has the schema and the licenses of what is in it', async () => {
      const { files, size } = packageNamed('@latchkey/cli');
      assert.ok(files.includes('dist/latchkey.schema.json') && files.includes('dist/THIRD-PARTY-LICENSES.txt'));
      assert.ok(size < 500_000, `${size} bytes`);
      const main = 'node_modules/@latchkey/cli/dist/main.js';
      const run = (...args: string[]) => project.run(main, {}, ['rules', ...args]);
      assert.equal(await run('test', '--file', join(root, 'samples/rules')), '5 tests, 0 failed.\n');
      const token = `evm:1/ERC721:0x${'1'.repeat(40)}`;
      await project.write(
        'query.yaml',
        `version: 1
communities:
  - community: a
    rules: [{ name: Two, role: R, when: { asset: '${token}', version: 2.0.0, query: $count($.tokens) > 1 } }]
    tests: [{ name: two, given: { holds: { '${token}': { tokens: [{ id: 1 }, { id: 2 }] } } }, expect: { R: role } }]
`,
      );
      assert.equal(await run('test', '--file', 'query.yaml'), '1 test, 0 failed.\n');
      await assert.rejects(run('plan', '--file', 'query.yaml'), /Set LATCHKEY_URL/);
    });
  });

  describe('@latchkey/client', () => {
    const readme = join(root, 'packages/client/README.md');

    test('is small to download, and has every operation but streams of events', async () => {
      assert.ok(packageNamed('@latchkey/client').size < 200_000);
      const routes = resources
        .flatMap(({ operations }): readonly { route: string; answer: { kind: string } }[] => operations)
        .filter(({ answer }) => answer.kind !== 'events')
        .map(({ route }) => route);
      // A route that the types do not have does not compile, and an extra one is missing from the list.
      const list = JSON.stringify(Object.fromEntries(routes.map((route) => [route, true])));
      const text = `import type { Route } from '@latchkey/client';\nexport const routes: Record<Route, true> = ${list};\n`;
      await project.write('routes.ts', text);
      assert.ok(routes.length > 215);
    });

    test('is small in a bundle, and what a page does not use stays out of it', async () => {
      await project.write('all.js', "export * from '@latchkey/client';\n");
      await project.write('hooks.js', "export { verifyWebhook } from '@latchkey/client';\n");
      const all = await bundle(project.folder, 'all.js');
      const hooks = await bundle(project.folder, 'hooks.js');
      assert.ok(all.length < 10_000, `${all.length} letters`);
      assert.ok(hooks.length < 3_500, `${hooks.length} letters`);
      assert.ok(all.includes('baseUrl must be') && !hooks.includes('baseUrl must be'));
    });

    test('the samples of its README run, against a server', async () => {
      const { key } = await server.apiKey(['state:create']);
      const authorization = await server.aeToken('DIS#USER#reader');
      for (const name of ['one', 'two'])
        await server.request('POST', '/client-apps', {
          headers: { authorization },
          json: { name, clientType: 'apiKey' },
        });
      const env = {
        LATCHKEY_URL: server.url,
        LATCHKEY_API_KEY: key,
        LATCHKEY_AE_TOKEN: authorization.replace('AE ', ''),
        NO_COLOR: '1',
      };
      const samples = (await readSamples(readme)).filter(({ language }) => language === 'js');
      const printed: string[] = [];
      for (const [index, { text }] of samples.entries()) {
        await project.write(`client-${index}.js`, text);
        printed.push(await project.run(`client-${index}.js`, env));
      }
      const [first = '', list = '', refused = '', ping = ''] = printed;
      assert.match(first, /hello: 'world'/);
      assert.deepEqual(list.trim().split('\n').toSorted(), ['one', 'two']);
      assert.match(refused, /^(401|403|404) [A-Z_]+ \S/);
      assert.match(ping, /\S/);
    });

    test('the webhook sample of its README accepts what is signed and rejects the rest', async () => {
      const index = (await readSamples(readme)).filter(({ language }) => language === 'js').length - 1;
      const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
      const at = new Date();
      const body = JSON.stringify({ type: 'role.blocked', timestamp: at.toISOString(), data: { roleId: '1' } });
      const headers = {
        'webhook-id': 'msg_9',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('msg_9', at, body),
      };
      const request = (text: string) =>
        `new Request('http://a.test', { method: 'POST', headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(text)} })`;
      await project.write(
        'hook.js',
        `import { POST } from './client-${index}.js';
console.log((await POST(${request(body)})).status, (await POST(${request(`${body} `)})).status);`,
      );
      const printed = await project.run('hook.js', { LATCHKEY_WEBHOOK_SECRET: secret, NO_COLOR: '1' });
      assert.match(printed, /^msg_9 role.blocked .*\n204 400\n$/s);
    });

    test('sends the idempotency key automatically, and the same one with every attempt', async () => {
      await project.write(
        'keys.js',
        `import { createClient } from '@latchkey/client';
const keys = [];
const call = createClient({ baseUrl: 'http://a.test', fetch: async (url, { headers, body }) => {
  keys.push(headers.get('idempotency-key'));
  const answers = [() => { throw new TypeError('fetch failed'); }, () => Response.json({ error: { code: 'IDEMPOTENCY_IN_PROGRESS' } }, { status: 409 }), () => Response.json({})];
  return (answers[keys.length - 1] ?? answers[2])();
} });
await call('POST /client-apps', { body: { name: 'a', clientType: 'apiKey' } });
await call('POST /client-apps', { body: { name: 'a', clientType: 'apiKey' } });
await call('POST /latchkey/client-apps/{id}/webhook/test', { id: '1', body: { type: 'role.blocked' } });
console.log(JSON.stringify(keys));`,
      );
      const [first, second, third, other, none] = JSON.parse(await project.run('keys.js'));
      assert.match(first, /^[0-9a-f-]{36}$/);
      assert.deepEqual([second, third], [first, first]);
      assert.notEqual(other, first);
      assert.equal(none, null);
    });

    test('sends a form to the token endpoint, as the protocol requires', async () => {
      await project.write(
        'form.js',
        `import { createClient } from '@latchkey/client';
const call = createClient({ baseUrl: process.env.LATCHKEY_URL });
await call('POST /oauth2/token', { body: { grant_type: 'client_credentials', client_id: 'nobody' } }).catch((error) => console.log(error.status, error.code));`,
      );
      assert.match(await project.run('form.js', { LATCHKEY_URL: server.url }), /^40[01] invalid_client\n/);
    });
  });

  describe('@latchkey/gate', () => {
    test('the server of its README rejects everyone who is not known to qualify', async () => {
      const [gate, app] = (await readSamples(join(root, 'packages/gate/README.md'))).filter(
        ({ language }) => language === 'js',
      );
      await project.write('gate.js', gate?.text ?? '');
      await project.write('gated.js', app?.text ?? '');
      const { key } = await server.apiKey(['token-gating']);
      const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
      const env = { LATCHKEY_URL: server.url, LATCHKEY_API_KEY: key, CONTRACT, PORT: '0' };
      await using started = await project.start('gated.js', env, /(http:\S+)/);
      const ask = async (path: string, headers: Record<string, string>) => {
        const response = await fetch(started.found + path, { headers, redirect: 'manual' });
        return [response.status, response.headers.get('location'), await response.text()] as const;
      };
      assert.equal((await ask('/', {}))[0], 401);
      assert.deepEqual((await ask('/', { accept: 'text/html' })).slice(0, 2), [302, '/login']);
      // This server reads no chain, so nothing can be decided: that is neither granted nor denied.
      assert.equal((await ask('/', { cookie: 'session=s1' }))[0], 503);
      assert.deepEqual(JSON.parse((await ask('/api/holder', {}))[2]), { status: 'signed-out', roles: [] });
    });

    test('the lines of its README compile with the types of Express, Fastify and Hono', async () => {
      await using strict = await newProject([packageNamed('@latchkey/gate').tarball]);
      const frameworks = ['@types/express@5.0.6', '@types/node@24.19.2', 'fastify@5.12.8', 'hono@4.13.19'];
      await runNpm(strict.folder, ['install', '--ignore-scripts', ...frameworks], { isOnline: true });
      const samples = await readSamples(join(root, 'packages/gate/README.md'));
      const [gate] = samples.filter(({ language }) => language === 'js');
      await strict.write('gate.ts', gate?.text ?? '');
      await strict.write(
        'session.ts',
        `import type { Visitor } from '@latchkey/gate';
export declare function visitorOf(cookie: string | null | undefined): Visitor | undefined;`,
      );
      const lines = samples.filter(({ language }) => language === 'ts');
      assert.equal(lines.length, 4);
      // That of Next.js needs the settings of a Next.js project.
      for (const [index, { text }] of lines.entries())
        if (!text.includes('next/server')) await strict.write(`framework-${index}.ts`, text);
      await strict.compile();
    });

    test('its React parts show each visitor what is meant for them', async () => {
      for (const name of ['react', 'react-dom', 'scheduler'])
        await symlink(join(root, 'node_modules', name), join(project.folder, 'node_modules', name));
      await project.write(
        'react.js',
        `import { createElement as h } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Gate, HolderProvider, LoginButton, useHolder } from '@latchkey/gate/react';
const Roles = () => useHolder().roles.join('+');
const page = (initial, props = {}) => renderToStaticMarkup(h(HolderProvider, { url: '/api/holder', ...(initial && { initial }) },
  h(LoginButton, { href: '/login' }, 'in'), h(Gate, { denied: 'no', signedOut: 'who?', loading: '…', unknown: 'later', ...props }, h(Roles))));
console.log(JSON.stringify([
  page(undefined), page({ status: 'signed-out', roles: [] }), page({ status: 'granted', roles: ['a', 'b'] }),
  page({ status: 'granted', roles: ['a'] }, { role: 'b' }), page({ status: 'denied', roles: [] }),
  page({ status: 'unknown', roles: [] }), page({ status: 'unknown', roles: ['a'] }, { role: 'a' }),
]));
try { renderToStaticMarkup(h(Roles)); } catch (error) { console.log(error.message); }`,
      );
      const [pages = '', problem] = (await project.run('react.js')).split('\n');
      assert.deepEqual(JSON.parse(pages), ['…', '<a href="/login">in</a>who?', 'a+b', 'no', 'no', 'later', 'a']);
      assert.match(problem ?? '', /needs a HolderProvider/);
    });
  });

  describe('@latchkey/miniapp', () => {
    test('the mini-app of its README passes the tests that its README shows', async () => {
      const samples = (await readSamples(join(root, 'packages/miniapp/README.md'))).filter(
        ({ language }) => language === 'js',
      );
      assert.equal(samples.length, names.length);
      for (const [index, { text }] of samples.entries()) await project.write(names[index] ?? '', text);
      await project.run('mini-app.test.js');
    });

    test('an app that it serves is listed by a server, whose probe sends both kinds of signatures', async () => {
      const { json: config } = await server.request('GET', '/config');
      await assert.rejects(project.run('start.js', { PORT: '0' }), { stderr: /Give a key of your Latchkey server/ });
      const env = {
        PORT: '0',
        LATCHKEY_ACTION_KEY: config.actionEd25519PublicKey,
        LATCHKEY_ECDSA_KEY: config.actionEcdsaPublicKey,
      };
      await using started = await project.start('start.js', env, /port (\d+)/);
      const ownerId = 'DIS#USER#owner';
      const headers = { authorization: await server.aeToken(ownerId) };
      const pk = await makeOrganization(server, ownerId);
      const about = { pk, name: 'Greeter', description: 'Greets', url: `http://127.0.0.1:${started.found}` };
      const { json: app } = await server.request('POST', '/miniapps', { headers, json: about });
      const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
      await decideMiniApp(operator, { id: app.id, decision: 'approve' });
      assert.equal((await decideMiniApp(operator, { id: app.id, decision: 'list' })).status, 'LISTED');
    });
  });

  describe('create-latchkey-miniapp', () => {
    const create = (...args: string[]) => project.run('node_modules/create-latchkey-miniapp/bin/main.mjs', {}, args);

    test('writes a mini-app that installs without a network and passes its tests', async () => {
      assert.match(await create('My App'), /npm install/);
      const folder = join(project.folder, 'My App');
      await runNpm(folder, ['install', '--ignore-scripts']);
      await project.run('My App/mini-app.test.js');
      assert.equal(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).name, 'my-app');
      for (const name of names)
        assert.equal(
          await readFile(join(folder, name), 'utf8'),
          await readFile(join(project.folder, name), 'utf8'),
          name,
        );
    });

    test('overwrites nothing, and prints its usage', async () => {
      await assert.rejects(create('My App'), { code: 1, stderr: /My App is not empty/ });
      await assert.rejects(create('package.json'), { code: 1, stderr: /package.json is not empty/ });
      await assert.rejects(create(), { code: 1, stdout: /Usage: create-latchkey-miniapp <folder>/ });
    });
  });

  test('the types are correct for a strict project outside this repository', async () => {
    const [errors, events, types] = (await readSamples(join(root, 'packages/client/README.md'))).filter(
      ({ language }) => language === 'ts',
    );
    await project.write('errors.ts', errors?.text ?? '');
    await project.write('events.ts', events?.text ?? '');
    await project.write('readme.ts', `${types?.text}export type All = [Check, Me, App, Route];\n`);
    await project.write(
      'mistakes.ts',
      `import { ApiError, createClient, eachItem, type ErrorCode, isApiError, type WebhookEvent } from '@latchkey/client';
declare const caught: unknown;
const call = createClient({ baseUrl: 'http://a.test' });
export const me = (await call('GET /account/me')).userName satisfies string | undefined;
export const app = await call('PATCH /client-apps/{id}', { id: '1', body: { name: 'a' } });
app.name satisfies string | undefined;
if (caught instanceof ApiError && caught.code === 'RATE_LIMITED') caught.retryAfterSeconds satisfies number | undefined;
declare const event: WebhookEvent;
if (event.type === 'rule.created') event.data.ruleId satisfies string;
// @ts-expect-error A linked wallet names no role.
if (event.type === 'member.wallet-linked') event.data.roleId;
// @ts-expect-error There is no such event.
if (event.type === 'member.joined') event.id;
if (isApiError(caught) && caught.code === 'RATE_LIMITED') caught.status satisfies 429;
if (isApiError(caught) && caught.code === 'VALIDATION_FAILED') caught.details?.[0]?.path satisfies string | undefined;
// @ts-expect-error This code has another status.
if (isApiError(caught) && caught.code === 'RATE_LIMITED') caught.status satisfies 404;
export const code: ErrorCode = 'RATE_LIMITED';
// @ts-expect-error There is no such code.
export const wrong: ErrorCode = 'RATE_LIMITE';
for await (const each of eachItem(call, 'GET /client-apps', { limit: 2 })) each.name satisfies string | undefined;
// @ts-expect-error There is no such route.
call('GET /nowhere');
// @ts-expect-error The id is missing.
call('GET /client-apps/{id}');
// @ts-expect-error The name must be a text.
call('PATCH /client-apps/{id}', { id: '1', body: { name: 1 } });
`,
    );
    await project.write(
      'miniapp.ts',
      `import { createMiniApp, say } from '@latchkey/miniapp';
import { serve } from '@latchkey/miniapp/node';
import { createTester } from '@latchkey/miniapp/tester';
const metadata = { manifest: { appId: 'a', developer: 'b', name: 'c' } };
export const app = createMiniApp({ keys: { ed25519: 'x' }, metadata, onInteraction: ({ member }) => say(member?.user?.username ?? '') });
export const served: Promise<{ port: number }> = serve(app);
export const told = (await (await createTester(() => app)).command('greet')).response?.data?.content satisfies string | undefined;
// @ts-expect-error There is no answer of this kind.
createMiniApp({ keys: {}, metadata, onInteraction: () => 'hello' });
`,
    );
    await project.write(
      'gate.ts',
      `import { createGate } from '@latchkey/gate';
import { expressGate } from '@latchkey/gate/express';
import { nextGate } from '@latchkey/gate/next';
const gate = createGate({ baseUrl: 'http://a.test', apiKey: 'k', rules: [{ type: 'ERC20', chainId: 1 }] });
export const all = [
  expressGate(gate, { visitor: (request: { headers: { accept?: string; cookie?: string } }) => ({ account: request.headers.cookie ?? '' }) }),
  nextGate(gate, { visitor: () => undefined }, (_request, { holder }) => Response.json(holder.roles satisfies readonly string[])),
];
// @ts-expect-error A visitor is an account or a token.
nextGate(gate, { visitor: () => ({ name: 'ada' }) }, () => new Response());
`,
    );
    await project.compile();
  });
});
