import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { operator, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { setApprovalPolicy } from '../../approval-policies/operations.ts';
import { rewriteRule } from '../../community-rules/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../testing/index.ts';
import { approveChangeSet, rejectAndRestore, rejectChangeSet } from './decide.ts';
import { handleApprove, handleGet, handlePreviewUndo, handleUndo } from './operations.ts';
import { getChangeSet, listChangeSets } from './reads.ts';
import { undoChangeSet } from './undo.ts';

type Policy = Parameters<typeof setApprovalPolicy>[1]['body'];

describe('the approval policy and undos', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('undo-brakes');
  });
  after(() => t.close());

  const present = (): Actor => ({ ...admin, presence: { how: 'passkey', at: t.services.clock() } });
  const holders = (guild: Guild, members: number) =>
    Array.from({ length: members }, (_, member) => guild.rolesOf(member)).filter((roles) => roles?.includes('gold'))
      .length;
  const suppressed = async (guild: Guild) => {
    const { rows } = await t.services.db.pool.query('select 1 from role_suppressions where community_id = $1', [
      guild.id,
    ]);
    return rows.length;
  };
  const statusOf = async (changeSetId: string) => (await getChangeSet(t.as(admin), changeSetId)).changeSet.status;

  /** Members who have just been granted the role by a check. */
  async function granted(members: number, policy?: Partial<Policy>) {
    const guild = await setUpGuild(t, { members });
    for (let member = 0; member < members; member += 1) guild.hold(member, '1');
    await guild.resync();
    if (policy !== undefined)
      await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles: [], ...policy } });
    const [done] = (await listChangeSets(t.as(admin), guild.id)).items;
    return { guild, named: { communityId: guild.id, changeSetId: done?.id ?? '' } };
  }

  /** Members who were granted the role because an admin lowered what it needs. */
  async function lowered(members: number, by: Actor, policy?: Partial<Policy>) {
    const guild = await setUpGuild(t, { members, rules: [erc20Rule('gold', '100')] });
    for (let member = 0; member < members; member += 1) guild.hold(member, '5');
    await guild.resync();
    if (policy !== undefined)
      await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles: [], ...policy } });
    await t.services.db.pool.query(
      `insert into community_admins (community_id, user_id, added_at, confirmed_at, ask_at) values ($1, $2, $3, $3, $3)`,
      [guild.id, admin.userId, t.services.clock()],
    );
    await rewriteRule(t.as(by), { id: guild.id, tpcId: 'TPC#1', body: erc20Rule('gold', '1') });
    await guild.check();
    await guild.write();
    const [done] = (await listChangeSets(t.as(admin), guild.id)).items;
    return { guild, named: { communityId: guild.id, changeSetId: done?.id ?? '' } };
  }

  it('an undo that removes a role from many members asks for a recent sign-in, and then for approval', async () => {
    const { guild, named } = await granted(12);
    const preview = await handlePreviewUndo(t.as(admin), named);
    assert.match(preview.heldBecause ?? '', /^12 of 12 members with the role gold would lose it/);
    await assert.rejects(handleUndo(t.as(admin), named), { code: 'PRESENCE_REQUIRED' });
    assert.equal(await statusOf(named.changeSetId), 'done', 'a refused undo changes nothing');
    const undo = await handleUndo(t.as(present()), named);
    assert.deepEqual([undo.status, undo.revokes, undo.decidedBy], ['held', 12, undefined]);
    assert.match(undo.note ?? '', /12 of 12/);
    await guild.write();
    await guild.resync();
    assert.deepEqual([holders(guild, 12), await statusOf(undo.id)], [12, 'held'], 'checks leave it as it is');
    const held = { communityId: guild.id, changeSetId: undo.id };
    await assert.rejects(handleApprove(t.as(admin), held), { code: 'PRESENCE_REQUIRED' });
    await handleApprove(t.as(present()), held);
    await guild.write();
    await guild.resync();
    assert.deepEqual([holders(guild, 12), await suppressed(guild)], [0, 12]);
  });

  it('a small undo is applied at once, and small undos of a day add up', async () => {
    const { guild, named } = await granted(4, { removalPercent: 100, removalsPerDay: 5 });
    assert.equal((await handleUndo(t.as(admin), named)).status, 'approved');
    await guild.write();
    assert.equal(holders(guild, 4), 0);
    await guild.resync('*', 'requested');
    const [again] = (await listChangeSets(t.as(admin), guild.id)).items;
    assert.equal(again?.written_grants, 4);
    const undo = await handleUndo(t.as(admin), { communityId: guild.id, changeSetId: again?.id ?? '' });
    assert.match(undo.note ?? '', /^8 of 8 .* More than 5 a day need approval\.$/);
    t.advanceSeconds(25 * 60 * 60);
    await rejectChangeSet(t.as(admin), undo.id);
    assert.equal(
      (await handleUndo(t.as(admin), { communityId: guild.id, changeSetId: again?.id ?? '' })).status,
      'approved',
    );
  });

  it('a rejected undo leaves the roles, and the change set can be undone again', async () => {
    const { guild, named } = await granted(12);
    const { id } = await undoChangeSet(t.as(admin), named.changeSetId);
    assert.deepEqual([await statusOf(named.changeSetId), await suppressed(guild)], ['undone', 12]);
    await rejectChangeSet(t.as(operator), id);
    assert.deepEqual([await statusOf(named.changeSetId), await suppressed(guild)], ['done', 0]);
    guild.hold(3, '0');
    await guild.resync();
    assert.deepEqual([holders(guild, 12), guild.rolesOf(3)], [11, []], 'checks decide again');
    const again = await undoChangeSet(t.as(admin), named.changeSetId);
    assert.deepEqual([again.status, again.revokes], ['held', 11]);
  });

  it('what a later change set decided while the undo waited stays', async () => {
    const { guild, named } = await granted(12);
    const { id } = await undoChangeSet(t.as(admin), named.changeSetId);
    guild.hold(0, '0');
    await guild.resync([0], 'requested');
    guild.hold(0, '1');
    await guild.resync([0], 'requested');
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    await approveChangeSet(t.as(admin), id);
    await guild.write();
    assert.deepEqual([holders(guild, 12), guild.rolesOf(0)], [1, ['gold']]);
  });

  it('the undo of an undo can be held as well, and lets checks decide only once it is approved', async () => {
    const guild = await setUpGuild(t, { members: 12, roles: () => ['gold'] });
    await guild.resync();
    const [removing] = (await listChangeSets(t.as(admin), guild.id)).items;
    await approveChangeSet(t.as(admin), removing?.id ?? '');
    await guild.write();
    const undo = await undoChangeSet(t.as(admin), removing?.id ?? '');
    await guild.write();
    assert.deepEqual([undo.status, holders(guild, 12), await suppressed(guild)], ['approved', 12, 12]);
    const back = await undoChangeSet(t.as(admin), undo.id);
    assert.deepEqual([back.status, await suppressed(guild)], ['held', 12]);
    await rejectChangeSet(t.as(admin), back.id);
    assert.deepEqual([await statusOf(undo.id), await suppressed(guild)], ['done', 12]);
    const again = await undoChangeSet(t.as(admin), undo.id);
    await approveChangeSet(t.as(admin), again.id);
    await guild.write();
    assert.deepEqual([holders(guild, 12), await suppressed(guild)], [0, 0]);
  });

  it('limits of a role count for the sign-in and for approval, of an undo and of a held change set', async () => {
    const roles = [{ roleId: 'gold', approvesGrants: false, removalCount: 2, removalPercent: 10 }];
    const { guild, named } = await granted(3, { roles });
    await assert.rejects(handleUndo(t.as(admin), named), { code: 'PRESENCE_REQUIRED' });
    const undo = await handleUndo(t.as(present()), named);
    assert.equal(undo.status, 'held');
    const held = { communityId: guild.id, changeSetId: undo.id };
    await assert.rejects(handleApprove(t.as(admin), held), { code: 'PRESENCE_REQUIRED' });
    await rejectChangeSet(t.as(admin), undo.id);
    for (const member of [0, 1]) guild.hold(member, '0');
    await guild.resync();
    const [other] = (await listChangeSets(t.as(admin), guild.id, { status: 'held' })).items;
    await assert.rejects(handleApprove(t.as(admin), { ...named, changeSetId: other?.id ?? '' }), {
      code: 'PRESENCE_REQUIRED',
    });
  });

  it('with two approvers the request is the first approval, and another admin must give the second', async () => {
    const { guild, named } = await granted(12, { approvers: 2 });
    const undo = await handleUndo(t.as(present()), named);
    const held = { communityId: guild.id, changeSetId: undo.id };
    assert.deepEqual(
      (await handleGet(t.as(admin), held)).approvals.map(({ userId }) => userId),
      [admin.userId],
    );
    await assert.rejects(approveChangeSet(t.as(admin), undo.id), /already approved/);
    await approveChangeSet(t.as(operator), undo.id);
    await guild.write();
    assert.equal(holders(guild, 12), 0);
  });

  it('in quiet hours an undo removes roles only with approval, and gives roles back at once', async () => {
    const clockAt = (hours: number) =>
      new Date(t.services.clock().getTime() + hours * 3_600_000).toISOString().slice(11, 16);
    const quietHours = { from: clockAt(-1), to: clockAt(2), timeZone: 'UTC' };
    const { guild, named } = await granted(2);
    guild.hold(1, '0');
    await guild.resync([1], 'wallet');
    const [taken] = (await listChangeSets(t.as(admin), guild.id)).items.filter(({ revokes }) => revokes > 0);
    await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles: [], quietHours } });
    assert.equal((await undoChangeSet(t.as(admin), taken?.id ?? '')).status, 'approved');
    await guild.write();
    assert.deepEqual(guild.rolesOf(1), ['gold']);
    const undo = await undoChangeSet(t.as(admin), named.changeSetId);
    assert.equal(undo.status, 'held');
    assert.match(undo.note ?? '', /^Quiet hours: until \d{4}-/);
  });

  it('a role that is given only with approval is given back only with approval', async () => {
    const { guild, named } = await granted(2);
    for (const member of [0, 1]) guild.hold(member, '0');
    await guild.resync();
    const roles = [{ roleId: 'gold', approvesGrants: true }];
    await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles } });
    const [taken] = (await listChangeSets(t.as(admin), guild.id)).items.filter(({ id }) => id !== named.changeSetId);
    const undo = await undoChangeSet(t.as(admin), taken?.id ?? '');
    assert.deepEqual([undo.status, undo.note], ['held', 'Granting the role gold needs approval.']);
  });

  it('admins undo their own rule change of the last hour at once if they are present', async () => {
    const { guild, named } = await lowered(12, admin);
    assert.equal((await handlePreviewUndo(t.as(admin), named)).heldBecause, undefined);
    await assert.rejects(handleUndo(t.as(admin), named), { code: 'PRESENCE_REQUIRED' });
    assert.equal((await handleUndo(t.as(present()), named)).status, 'approved');
    await guild.check();
    await guild.write();
    assert.equal(holders(guild, 12), 0);
  });

  it('but not after an hour, not for another admin’s change, and not where two admins must approve', async () => {
    const late = await lowered(12, admin);
    t.advanceSeconds(61 * 60);
    assert.equal((await handleUndo(t.as(present()), late.named)).status, 'held');
    const foreign = await lowered(12, operator);
    assert.equal((await handleUndo(t.as(present()), foreign.named)).status, 'held');
    const two = await lowered(12, admin, { approvers: 2 });
    assert.equal((await handleUndo(t.as(present()), two.named)).status, 'held');
  });

  it('rejecting a held undo can also bring back the rule that it restored', async () => {
    const { guild, named } = await lowered(12, operator);
    const undo = await handleUndo(t.as(present()), named);
    const least = async () => {
      const { rows } = await t.services.db.pool.query<{ least: string }>(
        `select definition ->> 'minToken' as least from community_rules where community_id = $1`,
        [guild.id],
      );
      return rows[0]?.least;
    };
    await guild.check();
    assert.deepEqual([undo.status, await least(), await statusOf(undo.id)], ['held', '100', 'held']);
    await rejectAndRestore(t.as(admin), undo.id);
    await guild.check();
    await guild.write();
    assert.deepEqual([await least(), holders(guild, 12), await suppressed(guild)], ['1', 12, 0]);
  });
});
