import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operator, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { readConfig } from '../../config.ts';
import { UsageError } from '../command.ts';
import { communities } from './communities.ts';

let t: TestPlatform;
before(async () => {
  t = await testPlatform('communities-command');
  await t.services.db.pool.query(
    `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
       created_at, updated_at)
     values ('DIS#COMM#1', 'discord', '1', 'Cats', 'active', 'DIS#USER#1', '{}', false, $1, $1)`,
    [t.services.clock()],
  );
});
after(() => t.close());

const run = (...args: string[]) => communities.run(t.as(operator), args, { reason: 'test' }, readConfig({}));

async function stored(): Promise<unknown> {
  const { rows } = await t.services.db.pool.query('select check_period_seconds as seconds from communities');
  return rows[0]?.seconds;
}

test('the operator sets how often members are re-checked, which is audited', async () => {
  await run('check-period', 'DIS#COMM#1');
  assert.equal(await stored(), null);
  await run('check-period', 'DIS#COMM#1', '6');
  assert.equal(await stored(), 6 * 3600);
  await run('check-period', 'DIS#COMM#1', 'default');
  assert.equal(await stored(), null);
  const { rows } = await t.services.db.pool.query('select action, community_id, reason from audit_entries');
  const entry = { action: 'community.change', community_id: 'DIS#COMM#1', reason: 'test' };
  assert.deepEqual(rows, [entry, entry], 'reading it is not audited');
});

test('a period that is not a whole number of hours within the limits is refused with the valid range', async () => {
  for (const value of ['0', '721', '1.5', 'often', '-1'])
    await assert.rejects(run('check-period', 'DIS#COMM#1', value), UsageError, value);
  await assert.rejects(run('check-period'), /Missing community id/);
  await assert.rejects(run('check-period', 'DIS#COMM#2', '6'), { code: 'ENTITY_NOT_FOUND' });
  assert.equal(await stored(), null);
});
