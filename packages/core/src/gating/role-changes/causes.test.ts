import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createGuestPass, issueGuestPass } from '../../communities/guest-passes/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { newReceiver } from '../../services/webhooks/testing.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { enqueueAccounts, enqueueUser, startResyncs } from '../followers/index.ts';
import { writeWaiting } from './applying/write-community.ts';
import { reconcileCommunityJob, removeOld, wakeDue } from './jobs.ts';
import { admin, chain, erc20Rule, type Guild, setUpGuild, token } from './testing/index.ts';

describe('why members are checked', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('causes');
  });
  after(() => t.close());

  async function queuedOf(guild: Guild): Promise<[string, string][]> {
    const rows = await t.services.db.system
      .selectFrom('reconcile_queue')
      .select(['user_id', 'cause'])
      .where('community_id', '=', guild.id)
      .orderBy('user_id')
      .execute();
    return rows.map(({ user_id, cause }) => [user_id, cause]);
  }

  it('every community is resynced once per period, and never if it turned that off', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    const still = await setUpGuild(t, { members: 1 });
    const own = await setUpGuild(t, { members: 1 });
    const { pool } = t.services.db;
    await pool.query('update communities set disable_background_checks = true where id = $1', [still.id]);
    await pool.query('update communities set check_period_seconds = 60 where id = $1', [own.id]);
    assert.equal(await startResyncs(t.services), 2);
    assert.deepEqual(await queuedOf(guild), [['*', 'schedule']]);
    assert.deepEqual(await queuedOf(still), []);
    assert.equal(await startResyncs(t.services), 0);
    t.advanceSeconds(60);
    assert.equal(await startResyncs(t.services), 1, 'each community has its own period');
    t.advanceSeconds(24 * 60 * 60);
    assert.equal(await startResyncs(t.services), 2, 'every member is re-checked every day by default');
  });

  it('a wallet change queues the user in every community they are in', async () => {
    const guild = await setUpGuild(t, { members: 2 });
    await guild.resync();
    await enqueueUser(t.services.db.system, guild.idOf(1), 'wallet');
    assert.deepEqual(await queuedOf(guild), [[guild.idOf(1), 'wallet']]);
  });

  it('a transfer queues members only in communities whose rules name the contract', async () => {
    const other = '0x00000000000000000000000000000000000000cc';
    const guild = await setUpGuild(t, { members: 2 });
    await guild.resync();
    const change = { reference: other, account: guild.walletOf(0) };
    assert.equal(await enqueueAccounts(t.services, t.services.db.system, chain, [change]), 0);
    assert.equal(await enqueueAccounts(t.services, t.services.db.system, chain, [{ ...change, reference: token }]), 1);
    assert.deepEqual(await queuedOf(guild), [[guild.idOf(0), 'chain']]);
  });

  it('a queue entry is kept or lost with the change that caused it', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    const change = t.services.db.transaction('system', async (tx) => {
      await enqueueReconcile(tx, { communityId: guild.id, members: [guild.idOf(0)], cause: 'wallet' });
      throw new Error('The change failed.');
    });
    await assert.rejects(change);
    assert.deepEqual(await queuedOf(guild), []);
  });

  it('work whose job was lost is found again', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    guild.hold(0, '1');
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    await t.services.db.pool.query('delete from jobs');
    await wakeDue(t.services);
    await guild.check();
    await t.services.db.pool.query('delete from jobs');
    await wakeDue(t.services);
    const { rows } = await t.services.db.pool.query('select name from jobs where unique_key = $1', [guild.id]);
    assert.deepEqual(rows, [{ name: 'gating.write' }]);
  });

  it('a worker without the platform of a community leaves its work to one that has it', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    guild.hold(0, '1');
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    const system = { kind: 'system', job: 'gating.check' } as const;
    await reconcileCommunityJob({ ...t.as(system), hosts: {} }, guild.id);
    assert.deepEqual(await queuedOf(guild), [['*', 'schedule']]);
    await guild.check();
    await writeWaiting({ ...t.as(system), hosts: {} }, guild.id, new AbortController().signal);
    await t.services.db.pool.query('delete from jobs');
    await wakeDue(t.services);
    const { rows } = await t.services.db.pool.query('select name from jobs where unique_key = $1', [guild.id]);
    assert.deepEqual(rows, [{ name: 'gating.write' }]);
  });

  it('a role that no rule names any more is left alone', async () => {
    const guild = await setUpGuild(t, { members: 1, roles: () => ['gold'] });
    await t.services.db.pool.query('delete from community_rules where community_id = $1', [guild.id]);
    await enqueueReconcile(t.services.db.system, {
      communityId: guild.id,
      members: '*',
      cause: 'rule',
      roleIds: ['gold'],
    });
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), ['gold']);
  });

  it('an active guest pass keeps a role that the rules would remove, and not a moment longer', async () => {
    const roleId = '222222222222222222';
    const guild = await setUpGuild(t, { members: 2, rules: [erc20Rule(roleId)], roles: () => [roleId] });
    const ctx = t.as(operator);
    const body = { name: 'Guest', roleSet: [{ id: roleId }], period: 3600 };
    const pass = await createGuestPass(ctx, { guildId: guild.guildId, body });
    await issueGuestPass(ctx, { guildId: guild.guildId, passId: pass.id ?? '', userId: guild.idOf(0) });
    await guild.resync();
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [[roleId], []]);
    t.advanceSeconds(3601);
    await guild.resync();
    assert.deepEqual(guild.rolesOf(0), []);
  });

  it('apps of the owner are notified of grants, removals and held change sets, once each', async () => {
    const owner = admin.kind === 'user' ? admin : undefined;
    await newReceiver(t, ['change-set.held', 'member.role-granted', 'member.role-revoked'], owner);
    const guild = await setUpGuild(t, { members: 30, roles: (member) => (member > 15 ? ['gold'] : []) });
    guild.hold(0, '1');
    for (let member = 16; member < 29; member += 1) guild.hold(member, '1');
    await guild.resync();
    for (let member = 16; member < 29; member += 1) guild.hold(member, '0');
    await guild.resync();
    const { rows } = await t.services.db.pool.query<{ type: string; body: string }>(
      `select type, body from events where body like '%' || $1 || '%' order by type`,
      [guild.id],
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['change-set.held', 'member.role-granted', 'member.role-revoked'],
    );
    assert.equal(JSON.parse(rows[2]?.body ?? '{}').data.userId, guild.idOf(29));
  });

  it('old change sets are deleted, and the ledger still shows what they did', async () => {
    const guild = await setUpGuild(t, { members: 1 });
    guild.hold(0, '1');
    await guild.resync();
    t.advanceSeconds(91 * 24 * 60 * 60);
    await removeOld.run(
      t.as({ kind: 'system', job: 'test' }),
      {},
      { id: '1', attempt: 1, signal: new AbortController().signal },
    );
    const count = async (table: string) => {
      const { rows } = await t.services.db.pool.query(`select count(*) as n from ${table} where community_id = $1`, [
        guild.id,
      ]);
      return rows[0]?.n;
    };
    assert.deepEqual(
      [await count('change_sets'), await count('change_set_items'), await count('role_ledger')],
      [0, 0, 1],
    );
  });
});
