import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contextFor, createDevelopmentApp, type Services } from '@latchkey/core';
import { paginate } from '@latchkey/core/testing/insides';
import { type Actor, AppError } from '@latchkey/kernel';
import { seed, volume } from '@latchkey/test-kit';
import { flipBit } from '../harness/attack-request.ts';
import { throwDice } from '../harness/dice.ts';
import { codeOf } from '../harness/error-shape.ts';
import { aliceId, malloryId } from '../harness/identities.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const actorOf = (userId: string): Actor => ({
  kind: 'user',
  userId,
  platform: 'discord',
  scopes: ['$all'],
  credential: 'wallet-session',
});

describe('a pagination token', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    for (const userId of [aliceId, malloryId])
      for (const name of ['One', 'Two', 'Three']) await createDevelopmentApp(operator, { userId, name, scopes: [] });
  });
  after(() => server.close());

  /** Requests a page of a list of numbers, as a user. */
  function ask(list: string, userId: string, paginationToken?: string, services: Services = server.services) {
    return paginate(
      contextFor(services, actorOf(userId)),
      { limit: 2, paginationToken },
      {
        list,
        read: async (after) => [1, 2, 3].filter((number) => number > Number(after?.[0] ?? 0)),
        cursorOf: (number) => [String(number)],
      },
    );
  }

  async function tokenOf(list: string, userId: string): Promise<string> {
    const { paginationToken } = await ask(list, userId);
    assert.ok(paginationToken);
    return paginationToken;
  }

  async function isRefused(page: Promise<unknown>): Promise<boolean> {
    try {
      await page;
      return false;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'INVALID_PAGINATION_TOKEN' && error.status === 400);
      return true;
    }
  }

  test('returns the next page, for the caller and the list it was issued for', async () => {
    assert.deepEqual(await ask('list', aliceId, await tokenOf('list', aliceId)), { items: [3] });
  });

  test('is refused with any bit changed, thousands of times over', async () => {
    const token = await tokenOf('list', aliceId);
    const dice = throwDice(seed('bit flips'));
    for (let count = volume(1_000, 10_000); count > 0; count--) {
      const altered = flipBit(token, dice);
      assert.ok(altered !== token && (await isRefused(ask('list', aliceId, altered))), `${altered} for ${token}`);
    }
  });

  test('is refused when it was truncated, extended or spliced', async () => {
    const [one, two] = [await tokenOf('list', aliceId), await tokenOf('list', aliceId)];
    const half = one.length / 2;
    const odd = [
      '',
      'A',
      one.slice(0, -1),
      one.slice(1),
      `${one}A`,
      `${one}=`,
      ` ${one}`,
      one.slice(0, half) + two.slice(half),
    ];
    for (const token of odd) assert.ok(await isRefused(ask('list', aliceId, token)), token);
  });

  test('is refused from another caller, for another list, and when it is too old', async () => {
    const token = await tokenOf('list', aliceId);
    assert.ok(await isRefused(ask('list', malloryId, token)));
    assert.ok(await isRefused(ask('other', aliceId, token)));
    const later = (hours: number) => ({ ...server.services, clock: () => new Date(Date.now() + hours * 3_600_000) });
    assert.deepEqual(await ask('list', aliceId, token, later(23)), { items: [3] });
    assert.ok(await isRefused(ask('list', aliceId, token, later(25))));
  });

  test('is refused over HTTP with 400 unless it is the caller’s own, of this very list', async () => {
    const list = async (userId: string, token?: string) => {
      const query = token === undefined ? '' : `&paginationToken=${encodeURIComponent(token)}`;
      const authorization = await server.aeToken(userId);
      return server.request('GET', `/client-apps?limit=2${query}`, { headers: { authorization } });
    };
    const { json } = await list(aliceId);
    assert.equal(json.items.length, 2);
    assert.equal((await list(aliceId, json.paginationToken)).json.items.length, 1);
    const wrong = [await list(malloryId, json.paginationToken), await list(aliceId, await tokenOf('other', aliceId))];
    for (const { status, text } of wrong) {
      assert.equal(status, 400);
      assert.equal(codeOf(text), 'INVALID_PAGINATION_TOKEN');
    }
  });
});
