import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listCatalog } from '@latchkey/core';
import { operator, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { readConfig } from '../../config.ts';
import { UsageError } from '../command.ts';
import { subscriptionPlans } from './subscription-plans.ts';

let t: TestPlatform;
let folder: string;
before(async () => {
  t = await testPlatform('subscription-plans-command');
  folder = await mkdtemp(join(tmpdir(), 'latchkey-plans-'));
});
after(async () => {
  await t?.close();
  if (folder) await rm(folder, { recursive: true });
});

const run = (args: string[], options: Record<string, string> = {}) =>
  subscriptionPlans.run(t.as(operator), args, { reason: 'test', ...options }, readConfig({}));
const plan = async (id: string) => (await listCatalog(t.services)).find((one) => one.id === id);
const file = async (content: unknown) => {
  const path = join(folder, 'plan.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

test('the operator sets prices by period and currency, and each change is audited', async () => {
  await run(['price', 'paid', '1799']);
  await run(['price', 'paid', '17000'], { period: 'yearly' });
  await run(['price', 'paid', '1999'], { currency: 'eur' });
  await run(['price', 'paid', '1899']);
  await run(['price', 'paid', '0'], { currency: 'eur' });
  const changed = await plan('paid');
  assert.deepEqual(changed?.prices, [
    { billingPeriod: 'monthly', amount: 1899, currency: 'usd' },
    { billingPeriod: 'yearly', amount: 17_000, currency: 'usd' },
  ]);
  assert.equal(changed?.maxClientApps, 500, 'the rest of the plan stays');
  const { rows } = await t.services.db.pool.query('select action, target, reason from audit_entries');
  assert.equal(rows.length, 5);
  assert.deepEqual(rows[0], { action: 'subscription-plan.save', target: 'paid', reason: 'test' });
});

test('a plan is created from a file with the API’s validation, granted, revoked and deleted', async () => {
  const body = { audience: 'organization', name: 'Gold', prices: [], maxClientApps: 9 };
  await run(['save', 'gold', await file(body)]);
  assert.equal((await plan('gold'))?.maxClientApps, 9);
  await t.services.db.pool.query(
    `insert into organizations (id, created_by_id, name, email, plan_id, created_at, code_requested_at, verified_at)
     values ('o00000000000000000001', 'DIS#USER#1', 'o', 'o@example.org', 'free', $1, $1, $1)`,
    [t.services.clock()],
  );
  const planOf = async () => (await t.services.db.pool.query('select plan_id from organizations')).rows[0]?.plan_id;
  await run(['give', 'gold', 'o00000000000000000001']);
  assert.equal(await planOf(), 'gold');
  await assert.rejects(run(['delete', 'gold']), { code: 'STATE_CONFLICT' });
  await run(['take', 'gold', 'o00000000000000000001']);
  assert.equal(await planOf(), 'free');
  await run(['delete', 'gold']);
  assert.equal(await plan('gold'), undefined);
});

test('an invalid plan, price or verb is refused with the valid input', async () => {
  const wrong = [{ name: 'x' }, { audience: 'planet', name: 'x', prices: [] }, 'not json'];
  for (const content of wrong) await assert.rejects(run(['save', 'x', await file(content)]), UsageError);
  const price = { billingPeriod: 'monthly', currency: 'usd', amount: 1 };
  const twice = { audience: 'community', name: 'x', prices: [price, price] };
  await assert.rejects(run(['save', 'x', await file(twice)]), { code: 'VALIDATION_FAILED' });
  await assert.rejects(run(['price', 'paid', '17.99']), UsageError);
  await assert.rejects(run(['price', 'paid', '1'], { period: 'daily' }), UsageError);
  await assert.rejects(run(['price', 'free', '100']), { code: 'VALIDATION_FAILED' });
  await assert.rejects(run(['price', 'nothing', '100']), { code: 'ENTITY_NOT_FOUND' });
  await assert.rejects(run(['delete', 'free']), { code: 'STATE_CONFLICT' });
  await assert.rejects(run(['paint', 'paid']), UsageError);
});
