import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operator, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { readConfig } from '../../config.ts';
import { UsageError } from '../command.ts';
import { shadow } from './shadow.ts';

let t: TestPlatform;
before(async () => {
  t = await testPlatform('shadow-command');
  t.host.addCommunity('1', []);
  await t.services.db.pool.query(
    `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
       created_at, updated_at)
     values ('DIS#COMM#1', 'discord', '1', 'Cats', 'active', 'DIS#USER#1', '{}', true, $1, $1)`,
    [t.services.clock()],
  );
});
after(() => t.close());

const run = (args: string[], options: Record<string, string> = {}) =>
  shadow.run(t.as(operator), args, { reason: 'test', ...options }, readConfig({}));

async function standing(): Promise<{ isOn: boolean; isTakingOver: boolean }> {
  const { rows } = await t.services.db.pool.query('select taken_over_at, take_over_requested_at from shadow_modes');
  return { isOn: rows[0]?.taken_over_at === null, isTakingOver: rows[0]?.take_over_requested_at instanceof Date };
}

test('the operator starts shadow mode, requests the takeover and undoes it, each audited', async () => {
  await run(['DIS#COMM#1']);
  await run(['start', 'DIS#COMM#1']);
  assert.deepEqual(await standing(), { isOn: true, isTakingOver: false });
  await run(['differences', 'DIS#COMM#1'], { day: '2026-01-31' });
  await run(['take-over', 'DIS#COMM#1']);
  // A worker would continue from here, but none is running.
  assert.deepEqual(await standing(), { isOn: true, isTakingOver: true });
  await run(['DIS#COMM#1']);
  await run(['undo', 'DIS#COMM#1']);
  assert.deepEqual(await standing(), { isOn: true, isTakingOver: false });
  const { rows } = await t.services.db.pool.query('select action, community_id, reason from audit_entries order by id');
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['shadow-mode.start', 'shadow-mode.take-over', 'shadow-mode.return'],
    'reading it is not audited',
  );
  assert.ok(rows.every((row) => row.community_id === 'DIS#COMM#1' && row.reason === 'test'));
});

test('an invalid day, community or state is refused with the valid input', async () => {
  for (const day of ['yesterday', '2026-02-31', '0000-01-01'])
    await assert.rejects(run(['differences', 'DIS#COMM#1'], { day }), UsageError, day);
  await assert.rejects(run([]), /Missing community id/);
  await assert.rejects(run(['take-over']), /Missing community id/);
  await assert.rejects(run(['DIS#COMM#2']), { code: 'ENTITY_NOT_FOUND' });
  await assert.rejects(run(['undo', 'DIS#COMM#2']), { code: 'ENTITY_NOT_FOUND' });
});
