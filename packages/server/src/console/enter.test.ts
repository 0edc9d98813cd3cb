import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chatVisitor, verifyConsoleSession } from '@latchkey/core';
import { type TestPlatform, testPlatform } from '@latchkey/core/testing';
import Fastify, { type FastifyInstance } from 'fastify';
import { serverOfOpenRoutes } from '../../test/harness/open-routes.ts';
import { addEntrance } from './enter.ts';
import { type ConsoleTickets, createTickets } from './tickets.ts';

describe('a link that signs in once', () => {
  let t: TestPlatform;
  let fastify: FastifyInstance;
  let tickets: ConsoleTickets;
  before(async () => {
    t = await testPlatform('console-tickets');
    Object.assign(t.services, { settings: { ...t.services.settings, baseUrl: 'http://localhost:1' } });
    tickets = createTickets(t.services);
    fastify = Fastify();
    addEntrance(fastify, serverOfOpenRoutes(t.services), tickets);
    await fastify.ready();
  });
  after(async () => {
    await fastify.close();
    await t.close();
  });

  const ann = () => chatVisitor(t.services, { userId: 'DIS#USER#1', platform: 'discord', name: 'ann' });
  const open = (url: string, remoteAddress = '127.0.0.1') => fastify.inject({ url, remoteAddress });

  test('signs the browser in that opens it first, and leads to the console without the ticket', async () => {
    const link = tickets.issue(ann);
    const first = await open(link);
    assert.deepEqual([first.statusCode, first.headers.location], [302, 'http://localhost:1/console']);
    const [cookie = ''] = [first.headers['set-cookie'] ?? []].flat();
    const [, secret = ''] = /^latchkey-session=([\w-]{43});/.exec(cookie) ?? [];
    const actor = await verifyConsoleSession(t.services, secret, '127.0.0.1');
    assert.equal(actor.kind === 'user' && actor.userId, 'DIS#USER#1');
    const again = await open(link);
    assert.deepEqual([again.statusCode, again.headers['set-cookie']], [404, undefined]);
  });

  test('works for ten minutes, and from this machine alone', async () => {
    const late = tickets.issue(ann);
    t.advanceSeconds(600);
    assert.equal((await open(late)).statusCode, 404);
    const link = tickets.issue(ann);
    assert.equal((await open(link, '192.0.2.1')).statusCode, 404);
    assert.equal((await open(link, '::ffff:127.0.0.1')).statusCode, 302);
  });

  test('cannot be guessed', async () => {
    assert.match(tickets.issue(ann), /^\/console\/enter\/\w{43}$/);
    assert.equal((await open('/console/enter/x')).statusCode, 404);
  });
});
