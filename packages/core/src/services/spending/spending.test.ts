import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { releaseSpending, spendingErasure } from './queries.ts';
import { listSpendings, requireBudget, requireSpender, reserveSpending } from './reserve.ts';

const coin = 'near:mainnet';
const client = { id: 'app-1', name: 'app', allowedScopes: ['$all'], disallowedScopes: [] };
const [alice, mallory] = ['DIS#USER#100', 'DIS#USER#666'];
const person: Actor = {
  kind: 'user',
  userId: alice,
  platform: 'discord',
  scopes: ['$all'],
  credential: 'wallet-session',
};
const app: Actor = { kind: 'client', credential: 'api-key', client };
const refused = { code: 'ROLE_NOT_ALLOWED' };
// More digits than a double can represent.
const total = 10n ** 25n + 1n;

describe('paying for others', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('spending');
  });
  after(() => t.close());

  const as = (actor: Actor, spenders: string[], perCaller = total) => ({
    ...t.as(actor),
    settings: { ...t.services.settings, spending: { spenders, budgets: { [coin]: { total, perCaller } } } },
  });
  const reserve = (reference: string, amount: bigint, caller_id = alice, perCaller = total) =>
    t.services.db.transaction('system', (tx) =>
      reserveSpending(as(person, ['people'], perCaller), tx, { coin, reference, caller_id, amount }),
    );
  const clear = () => t.services.db.system.deleteFrom('spendings').execute();

  test('is off until the operator sets a budget, and the error says what to set', () => {
    const { spending: _, ...settings } = t.services.settings;
    const ctx = { ...t.as(person), settings };
    assert.throws(() => requireSpender(ctx, coin), {
      ...refused,
      message: /LATCHKEY_NEAR_SPEND_PER_DAY, LATCHKEY_NEAR_SPEND_PER_CALLER and LATCHKEY_SPENDERS/,
    });
    assert.throws(() => requireSpender(ctx, 'evm:1'), /LATCHKEY_REGISTRY_SPEND_PER_DAY/);
    assert.throws(() => requireSpender(as(person, ['people']), 'near:testnet'), refused);
    requireSpender({ ...ctx, actor: operator }, coin);
  });

  test('is for the callers that the operator names', () => {
    requireSpender(as(person, ['people']), coin);
    requireSpender(as(app, ['app-1']), coin);
    requireSpender(as(app, ['apps']), coin);
    requireSpender(as({ ...person, client }, ['app-1']), coin);
    assert.throws(() => requireSpender(as(person, []), coin), {
      ...refused,
      message: /add people to LATCHKEY_SPENDERS/,
    });
    assert.throws(() => requireSpender(as(person, ['apps', 'app-1']), coin), refused);
    assert.throws(() => requireSpender(as(app, ['people', 'app-2']), coin), { ...refused, message: /app-1/ });
  });

  test('ends with the total budget, to the last unit, and starts again after a day', async () => {
    await clear();
    await reserve('one', 10n ** 25n);
    await assert.rejects(reserve('two', 2n, mallory), { code: 'RATE_LIMITED', message: /for all callers/ });
    await reserve('two', 1n, mallory);
    await assert.rejects(reserve('three', 1n), { code: 'RATE_LIMITED' });
    t.advanceSeconds(24 * 60 * 60);
    await reserve('three', total);
  });

  test('ends with the caller’s budget, and not with another’s', async () => {
    await clear();
    await reserve('one', 5n, undefined, 5n);
    await assert.rejects(reserve('two', 1n, undefined, 5n), { code: 'RATE_LIMITED', message: /for each caller/ });
    await reserve('two', 5n, mallory, 5n);
    assert.deepEqual(await listSpendings(t.services.db.system, new Date(0)), [
      { coin, callerId: alice, amount: 5n },
      { coin, callerId: mallory, amount: 5n },
    ]);
  });

  test('counts a reference once, and not at all once it is refunded', async () => {
    await clear();
    await reserve('one', total);
    await reserve('one', total - 1n);
    await assert.rejects(reserve('two', 1n), { code: 'RATE_LIMITED' });
    await releaseSpending(t.services.db.system, { coin, reference: 'one' });
    await reserve('two', total);
  });

  test('is not overdrawn by concurrent callers', async () => {
    await clear();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => reserve(String(index), total / 5n)),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 5);
  });

  test('is rolled back with its transaction', async () => {
    await clear();
    const failing = t.services.db.transaction('system', async (tx) => {
      await reserveSpending(as(person, ['people']), tx, { coin, reference: 'one', caller_id: 'x', amount: total });
      throw new Error('not sent after all');
    });
    await assert.rejects(failing, /not sent after all/);
    await t.services.db.transaction('system', (tx) =>
      requireBudget(as(person, ['people']), tx, { coin, reference: '', caller_id: 'x', amount: total }),
    );
  });

  test('is remembered without the person when they are erased', async () => {
    await clear();
    await reserve('one', total);
    const forgotten = { userId: alice, pseudonym: 'erased-1', wallets: [], coHolders: [], clientIds: [] };
    await t.services.db.transaction('system', (tx) => spendingErasure.forget(t.as(operator), tx, forgotten));
    await assert.rejects(reserve('two', 1n), { code: 'RATE_LIMITED', message: /for all callers/ });
    const rows = await t.services.db.system.selectFrom('spendings').selectAll().execute();
    assert.deepEqual(
      rows.map((row) => row.caller_id),
      ['erased-1'],
    );
  });
});
