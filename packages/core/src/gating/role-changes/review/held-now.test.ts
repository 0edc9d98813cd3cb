import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { operator, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { setApprovalPolicy } from '../../approval-policies/operations.ts';
import { rewriteRule } from '../../community-rules/index.ts';
import { admin, chain, erc20Rule, type Guild, setUpGuild, token } from '../testing/index.ts';
import { approveChangeSet } from './decide.ts';
import { handleApprove, handleApproveGrants, handleGet, handleList } from './operations.ts';

describe('a change set that changes while it waits for approval', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('held-now');
  });
  after(() => t.close());

  const present = (): Actor => ({ ...admin, presence: { how: 'passkey', at: t.services.clock() } });
  const heldIn = async (guild: Guild) => {
    const { items } = await handleList(t.as(admin), { communityId: guild.id, status: 'held' });
    return items;
  };
  const queuedIn = async (guild: Guild) => {
    const { rows } = await t.services.db.pool.query('select 1 from reconcile_queue where community_id = $1', [
      guild.id,
    ]);
    return rows.length;
  };

  /** Members with the role, of whom the first `losing` hold nothing any more: their removals wait. */
  async function held(members: number, losing: number): Promise<{ guild: Guild; changeSetId: string }> {
    const guild = await setUpGuild(t, { members, roles: () => ['gold'] });
    for (let member = losing; member < members; member += 1) guild.hold(member, '1');
    await guild.resync();
    const [one] = await heldIn(guild);
    return { guild, changeSetId: one?.id ?? '' };
  }

  it('shows the numbers of now, and what changed since it was held', async () => {
    const { guild, changeSetId } = await held(120, 25);
    const named = { communityId: guild.id, changeSetId };
    const noteOf = async () => (await handleGet(t.as(admin), named)).changeSet.note ?? '';
    assert.equal(await noteOf(), '25 of 120 members with the role gold would lose it within 24 hours.');
    for (const member of [0, 1, 2]) guild.hold(member, '1');
    await guild.resync([0, 1, 2], 'wallet');
    assert.equal(
      await noteOf(),
      '22 of 120 members with the role gold would lose it within 24 hours. Since it was held: 3 no longer needed.',
    );
    assert.equal((await heldIn(guild))[0]?.note, await noteOf(), 'the list says the same');
    guild.hold(0, '0');
    for (let member = 100; member < 112; member += 1) guild.hold(member, '0');
    await guild.resync();
    const all = await heldIn(guild);
    assert.deepEqual(
      all.map(({ id, revokes, waiting }) => [id, revokes, waiting]),
      [[changeSetId, 37, 35]],
      'later removals of the role that need approval join it, and one that was dropped waits again',
    );
    assert.match(all[0]?.note ?? '', /^35 of 120 .* Since it was held: 2 no longer needed, 12 added\.$/);
  });

  it('fewer removals than the limits are said to be within them', async () => {
    const { guild, changeSetId } = await held(40, 12);
    for (let member = 0; member < 9; member += 1) guild.hold(member, '1');
    await guild.resync();
    const { changeSet } = await handleGet(t.as(admin), { communityId: guild.id, changeSetId });
    assert.match(
      changeSet.note ?? '',
      /^3 members .* within the limits now\. Since it was held: 9 no longer needed\.$/,
    );
  });

  it('a removal that an edit of a rule led to joins the others of that edit, however small it is', async () => {
    const guild = await setUpGuild(t, { members: 14, roles: () => ['gold'] });
    for (let member = 0; member < 14; member += 1) guild.hold(member, '5');
    await guild.resync();
    const late = { chain, standard: 'erc20' as const, reference: token, account: guild.walletOf(13) };
    t.holdings.set(late, { kind: 'unknown', reason: 'down' });
    t.advanceSeconds(24 * 60 * 60);
    await rewriteRule(t.as(operator), { id: guild.id, tpcId: 'TPC#1', body: erc20Rule('gold', '100') });
    await guild.check();
    const [before] = await heldIn(guild);
    assert.deepEqual([before?.revokes, before?.unknowns], [13, 1]);
    t.holdings.set(late, '5');
    t.advanceSeconds(600);
    await guild.check();
    await guild.write();
    const after = await heldIn(guild);
    assert.deepEqual([after.length, after[0]?.id, after[0]?.revokes], [1, before?.id, 14]);
    assert.deepEqual(guild.rolesOf(13), ['gold'], 'it waits with the others');
  });

  it('what one of two admins approved stays as it is: later removals wait in another change set', async () => {
    const { guild, changeSetId } = await held(60, 12);
    await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 2, roles: [] } });
    await approveChangeSet(t.as(admin), changeSetId);
    for (let member = 20; member < 32; member += 1) guild.hold(member, '0');
    await guild.resync();
    assert.deepEqual(
      (await heldIn(guild)).map(({ revokes }) => revokes),
      [12, 12],
    );
  });

  it('opening it queues a check of its members, at most every ten minutes', async () => {
    const { guild, changeSetId } = await held(40, 12);
    const named = { communityId: guild.id, changeSetId };
    await handleGet(t.as(admin), named);
    assert.equal(await queuedIn(guild), 0, 'it was just checked');
    t.advanceSeconds(11 * 60);
    for (const member of [0, 1]) guild.hold(member, '1');
    await Promise.all([handleGet(t.as(admin), named), handleGet(t.as(admin), named)]);
    assert.equal(await queuedIn(guild), 12);
    await guild.check();
    assert.equal((await handleGet(t.as(admin), named)).changeSet.waiting, 10);
    assert.equal(await queuedIn(guild), 0, 'and not again right away');
  });

  it('an approval counts only for the number of changes that the admin saw', async () => {
    const { guild, changeSetId } = await held(40, 12);
    const named = { communityId: guild.id, changeSetId };
    guild.hold(0, '1');
    await guild.resync([0], 'wallet');
    await assert.rejects(handleApprove(t.as(present()), { ...named, body: { changes: 12 } }), {
      code: 'STATE_CONFLICT',
      message: /^These role changes were updated: 11 are waiting now, not 12\./,
    });
    assert.equal((await heldIn(guild)).length, 1);
    assert.equal((await handleApprove(t.as(present()), { ...named, body: { changes: 11 } })).status, 'approved');
    await assert.rejects(
      handleApprove(t.as(present()), { ...named, body: { changes: 11 } }),
      { message: /It was approved by/ },
      'a second admin reads who decided, not that the number changed',
    );
  });

  it('so does the approval of its grants', async () => {
    const guild = await setUpGuild(t, { members: 14, roles: (member) => (member < 2 ? [] : ['gold']) });
    for (const member of [0, 1]) guild.hold(member, '1');
    const roles = [{ roleId: 'gold', approvesGrants: true }];
    await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles } });
    await guild.resync();
    const [one] = await heldIn(guild);
    const named = { communityId: guild.id, changeSetId: one?.id ?? '' };
    await assert.rejects(handleApproveGrants(t.as(admin), { ...named, body: { changes: 2 } }), {
      code: 'STATE_CONFLICT',
    });
    assert.equal((await handleApproveGrants(t.as(admin), { ...named, body: { changes: 14 } })).status, 'approved');
  });
});
