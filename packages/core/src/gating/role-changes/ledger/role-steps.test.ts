import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import { getMyRoleSteps } from '../../../surfaces/my-roles/operations.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { setApprovalPolicy } from '../../approval-policies/operations.ts';
import { rejectChangeSet } from '../review/decide.ts';
import { admin, type Guild, setUpGuild } from '../testing/index.ts';
import { getRoleSteps } from './role-steps.ts';

describe('the steps from a wallet to a role in the chat', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('role-steps');
  });
  after(() => t.close());

  async function settle(withWallets = true): Promise<Guild> {
    const guild = await setUpGuild(t, { members: 1, withWallets });
    t.host.addCommunity(guild.guildId, [{ id: 'gold', name: 'Gold', color: 0xffd700 }]);
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), []);
    await guild.resync();
    t.advanceSeconds(60);
    return guild;
  }
  const self = (guild: Guild): Actor => ({ ...admin, userId: guild.idOf(0) });
  const mine = (guild: Guild) => getMyRoleSteps(t.as(self(guild)), { communityId: guild.id });
  const seenByAdmin = (guild: Guild) =>
    getRoleSteps(t.as(admin), { communityId: guild.id, userId: guild.nativeIdOf(0) });
  const queue = (guild: Guild) =>
    enqueueReconcile(t.services.db.system, { communityId: guild.id, members: [guild.idOf(0)], cause: 'wallet' });
  const states = async (guild: Guild) => {
    const { linked, checked, roles } = await mine(guild);
    const [role] = roles;
    return [linked, checked, role?.written, role?.seen].map((step) => step?.cause ?? step?.state);
  };

  it('are shown one after the other, with times and the block, until the platform shows the role', async () => {
    const guild = await settle();
    guild.hold(0, '1');
    await queue(guild);
    assert.deepEqual(await states(guild), ['done', 'queue', undefined, undefined]);
    t.advanceSeconds(5);
    await guild.check();
    assert.deepEqual(await states(guild), ['done', 'done', 'queue', 'none']);
    const checked = await mine(guild);
    assert.equal(checked.checked.time, t.services.clock().toISOString());
    assert.deepEqual(
      checked.blocks.map(({ chain }) => chain),
      ['evm:1'],
    );
    t.advanceSeconds(5);
    await guild.write();
    const { roles } = await mine(guild);
    assert.deepEqual(
      roles.map(({ name, color, action, written, seen }) => [name, color, action, written.state, seen.state]),
      [['Gold', 0xffd700, 'grant', 'done', 'done']],
    );
    assert.equal(roles[0]?.written.time, t.services.clock().toISOString());
  });

  it('name what is missing before the first one', async () => {
    assert.deepEqual(await states(await settle(false)), ['no-wallet', 'done', undefined, undefined]);
  });

  it('never turn what could not be read into a no', async () => {
    const guild = await settle();
    guild.hold(0, '1');
    t.holdings.fail('evm:1', 'The node is down.');
    await queue(guild);
    await guild.check();
    t.holdings.fail('evm:1', undefined);
    const { checked } = await mine(guild);
    assert.deepEqual([checked.state, checked.cause], ['waiting', 'unreadable']);
    assert.ok(checked.sinceTime && checked.nextTime);
  });

  it('say that an admin must approve, and show only admins what is behind it', async () => {
    const guild = await settle();
    guild.hold(0, '1');
    const roles = [{ roleId: 'gold', approvesGrants: true }];
    await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles } });
    await queue(guild);
    await guild.check();
    assert.deepEqual(await states(guild), ['done', 'done', 'approval', 'none']);
    const [own] = (await mine(guild)).roles;
    const [other] = (await seenByAdmin(guild)).roles;
    assert.equal(own?.changeSetId, undefined);
    assert.ok(other?.changeSetId);
  });

  it('tell a role above the bot from an outage of the platform', async () => {
    const guild = await settle();
    guild.hold(0, '1');
    t.host.interfere(() => ({ kind: 'failed', reason: 'Discord did not respond.' }));
    await queue(guild);
    await guild.check();
    await guild.write();
    assert.deepEqual(await states(guild), ['done', 'done', 'platform', 'none']);
    t.host.interfere(undefined);
    const advice = 'Move the role "Gold" below the bot’s role.';
    t.host.breakRole(guild.guildId, 'gold', { roleId: 'gold', fault: 'above-bot', advice });
    t.advanceSeconds(60);
    await guild.write();
    const [own] = (await mine(guild)).roles;
    assert.deepEqual(
      [own?.written.state, own?.written.cause, own?.written.advice],
      ['stopped', 'role-above-bot', undefined],
    );
    assert.equal((await seenByAdmin(guild)).roles[0]?.written.advice, advice);
    t.host.breakRole(guild.guildId, 'gold', undefined);
  });

  it('show the block of a check that changes nothing, because an admin rejected the change', async () => {
    const guild = await settle();
    guild.hold(0, '1');
    const roles = [{ roleId: 'gold', approvesGrants: true }];
    await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles } });
    await guild.resync([0], 'wallet');
    const before = (await mine(guild)).blocks;
    const [waiting] = (await seenByAdmin(guild)).roles;
    await rejectChangeSet(t.as(admin), waiting?.changeSetId ?? '');
    t.advanceSeconds(60);
    await guild.resync([0]);
    const { checked, blocks } = await mine(guild);
    assert.equal(checked.time, t.services.clock().toISOString());
    assert.deepEqual([blocks, blocks.length], [before, 1]);
  });

  it('show that a role was taken by hand after it was written', async () => {
    const guild = await settle();
    guild.hold(0, '1');
    await guild.resync();
    await t.services.db.pool.query(`update community_members set role_ids = '{}' where community_id = $1`, [guild.id]);
    assert.deepEqual(await states(guild), ['done', 'done', 'done', 'not-shown']);
  });

  it('leave out a role that only hidden rules give, until the member has it', async () => {
    const guild = await settle();
    guild.hold(0, '1');
    await t.services.db.pool.query(`update community_rules set visibility = 'hidden' where community_id = $1`, [
      guild.id,
    ]);
    await queue(guild);
    await guild.check();
    const { roles, blocks } = await mine(guild);
    assert.deepEqual([roles, blocks], [[], []], 'neither the role nor the chain that its rule reads');
    await guild.write();
    assert.equal((await mine(guild)).roles[0]?.seen.state, 'done');
  });

  it('exist for members and admins of the community alone', async () => {
    const guild = await settle();
    const stranger = { communityId: guild.id, userId: guild.nativeIdOf(0) };
    await assert.rejects(getRoleSteps(t.as(mallory), stranger), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(getMyRoleSteps(t.as(mallory), { communityId: guild.id }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(getRoleSteps(t.as(admin), { ...stranger, userId: '404' }), { code: 'ENTITY_NOT_FOUND' });
  });
});
