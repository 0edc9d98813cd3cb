import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAdminKey, verifyConsoleSession } from '@latchkey/core';
import { type TestPlatform, testPlatform } from '@latchkey/core/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { serverOfOpenRoutes } from '../../test/harness/open-routes.ts';
import { pageDataOf } from '../../test/oauth/browser.ts';
import { addEntrance } from './routes.ts';
import { type ConsoleTickets, createTickets, describeEntrance } from './tickets.ts';

describe('a link that signs in once', () => {
  let t: TestPlatform;
  let fastify: FastifyInstance;
  let tickets: ConsoleTickets;
  before(async () => {
    t = await testPlatform('console-tickets');
    Object.assign(t.services, { settings: { ...t.services.settings, baseUrl: 'http://localhost:1' } });
    tickets = createTickets(t.services);
    fastify = Fastify({ routerOptions: { maxParamLength: 4096 } });
    fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    addEntrance(fastify, serverOfOpenRoutes(t.services), tickets);
    await fastify.ready();
  });
  after(async () => {
    await fastify.close();
    await t.close();
  });

  const ann = { userId: 'DIS#USER#1', platform: 'discord', name: 'ann' };
  const open = (url: string, remoteAddress = '127.0.0.1', method: 'GET' | 'HEAD' = 'GET') =>
    fastify.inject({ method, url, remoteAddress });
  const press = (url: string, remoteAddress = '127.0.0.1', headers: Record<string, string> = {}) =>
    fastify.inject({
      method: 'POST',
      url,
      remoteAddress,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });

  test('signs in the first browser that presses the button, and redirects to the console without the ticket', async () => {
    const link = await tickets.issue(ann);
    const first = await press(link);
    assert.deepEqual([first.statusCode, first.headers.location], [303, 'http://localhost:1/console']);
    const [cookie = ''] = [first.headers['set-cookie'] ?? []].flat();
    const [, secret = ''] = /^latchkey-session=([\w-]{43});/.exec(cookie) ?? [];
    const actor = await verifyConsoleSession(t.services, secret, '127.0.0.1');
    assert.equal(actor.kind === 'user' && actor.userId, 'DIS#USER#1');
    for (const again of [await press(link), await open(link)])
      assert.deepEqual([again.statusCode, again.headers['set-cookie']], [404, undefined]);
  });

  test('is not consumed by being opened, by any client', async () => {
    const link = await tickets.issue(ann);
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET'] as const) {
      const looked = await open(link, '127.0.0.1', method);
      assert.deepEqual([looked.statusCode, looked.headers['set-cookie']], [200, undefined], method);
      assert.equal(looked.headers['cache-control'], 'no-store');
    }
    const page = pageDataOf((await open(link)).body);
    assert.deepEqual(page, { page: 'enter', action: link, server: 'Latchkey', name: 'ann' });
    assert.equal((await press(link)).statusCode, 303);
  });

  test('is not consumed by a form on another site', async () => {
    const link = await tickets.issue(ann);
    for (const site of ['cross-site', 'same-site']) {
      const answer = await press(link, '127.0.0.1', { 'sec-fetch-site': site });
      assert.deepEqual([answer.statusCode, answer.headers['set-cookie']], [403, undefined], site);
    }
    assert.equal((await press(link, '127.0.0.1', { 'sec-fetch-site': 'same-origin' })).statusCode, 303);
  });

  test('works for ten minutes, and only from this machine', async () => {
    const late = await tickets.issue(ann);
    t.advanceSeconds(600);
    for (const answer of [await open(late), await press(late)]) assert.equal(answer.statusCode, 404);
    const link = await tickets.issue(ann);
    for (const answer of [await open(link, '192.0.2.1'), await press(link, '192.0.2.1')])
      assert.equal(answer.statusCode, 404);
    assert.equal((await press(link, '::ffff:127.0.0.1')).statusCode, 303);
  });

  test('cannot be guessed', async () => {
    const [first, second] = [await tickets.issue(ann), await tickets.issue(ann)];
    assert.match(first, /^\/console\/enter\/[\w.-]{100,}$/);
    assert.notEqual(first, second);
    // Changes one letter of the encrypted part.
    const altered = first.replace(/(?<=\.)\w(?=[\w-]*\.[\w-]+$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    assert.notEqual(altered, first);
    for (const path of ['/console/enter/x', '/console/enter/a.b.c.d.e', altered])
      for (const answer of [await open(path), await press(path)]) assert.equal(answer.statusCode, 404, path);
    assert.equal((await press(first)).statusCode, 303);
  });

  test('says how to get a new link once it has expired, and links to the console', async () => {
    const { title, command, link } = pageDataOf((await open('/console/enter/x')).body);
    assert.equal(title, 'This link has expired');
    assert.equal(command, 'npm run latchkey -- open');
    assert.deepEqual(link, { url: 'http://localhost:1/console', text: 'Or sign in to the console' });
  });

  test('is used up for every process of the server, and works if another process created it', async () => {
    const beside = createTickets(t.services);
    const link = await beside.issue(ann);
    assert.equal((await press(link)).statusCode, 303);
    assert.equal(await beside.find(link.split('/').at(-1) ?? ''), undefined);
  });

  test('is printed for the operator only on a local server with a suitable key', async () => {
    assert.equal(await describeEntrance(t.services), undefined, 'there is no key yet');
    const { id } = await createAdminKey(t.services, 'first');
    const text = (await describeEntrance(t.services, ann)) ?? '';
    const [, path = ''] = /as the operator +http:\/\/localhost:1(\S+)/.exec(text) ?? [];
    assert.match(text, /as the owner of the sample community +http:/);
    const pressed = await press(path);
    const [, secret = ''] = /^latchkey-session=([\w-]{43});/.exec(String(pressed.headers['set-cookie'])) ?? [];
    const actor = await verifyConsoleSession(t.services, secret, '127.0.0.1');
    assert.equal(actor.kind === 'admin' && actor.keyId, id);
    const elsewhere = { ...t.services, settings: { ...t.services.settings, baseUrl: 'https://roles.example' } };
    assert.equal(await describeEntrance(elsewhere), undefined);
  });
});
