import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { getApprovalPolicy, setApprovalPolicy } from '../approval-policies/operations.ts';
import { approveChangeSet, rejectChangeSet } from './review/decide.ts';
import { handleApprove, handleGet } from './review/operations.ts';
import { listChangeSets } from './review/reads.ts';
import { admin, type Guild, setUpGuild } from './testing/index.ts';

type Policy = Parameters<typeof setApprovalPolicy>[1]['body'];

describe('the approval policy of a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('approval-policies');
  });
  after(() => t.close());

  /** Members who all have the role; the first `keeping` of them hold the token. */
  async function setUp(members: number, keeping: number, policy?: Partial<Policy>): Promise<Guild> {
    const guild = await setUpGuild(t, { members, roles: () => ['gold'] });
    for (let member = 0; member < keeping; member += 1) guild.hold(member, '1');
    if (policy !== undefined)
      await setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles: [], ...policy } });
    return guild;
  }
  const changeSetsOf = async (guild: Guild) => (await listChangeSets(t.as(admin), guild.id)).items;
  const heldIn = async (guild: Guild) => (await changeSetsOf(guild)).filter(({ status }) => status === 'held');
  const holders = (guild: Guild, members: number) =>
    Array.from({ length: members }, (_, member) => guild.rolesOf(member)).filter((roles) => roles?.includes('gold'))
      .length;

  it('a community without a policy uses the operator’s limits', async () => {
    const guild = await setUp(1, 1);
    const { defaults, ...policy } = await getApprovalPolicy(t.as(admin), { communityId: guild.guildId });
    assert.deepEqual(defaults, { removalPercent: 5, removalCount: 10, removalsPerDay: 100 });
    assert.deepEqual(policy, { communityId: guild.id, approvers: 1, roles: [] });
  });

  it('more removals a day than the limit need approval, however small their share', async () => {
    const guild = await setUp(40, 36, { removalPercent: 100, removalsPerDay: 3 });
    await guild.resync();
    const [held] = await heldIn(guild);
    assert.deepEqual([held?.revokes, holders(guild, 40)], [4, 40]);
    assert.match(held?.note ?? '', /^4 of 40 members with the role gold .* More than 3 a day need approval\.$/);
  });

  it('removals of earlier hours count towards the limit of the day', async () => {
    const guild = await setUp(20, 20, { removalPercent: 100, removalsPerDay: 3 });
    for (const members of [[0, 1], [2], [3]]) {
      for (const member of members) guild.hold(member, '0');
      await guild.resync();
    }
    assert.deepEqual([holders(guild, 20), (await heldIn(guild)).length], [17, 1]);
  });

  it('one role can have limits of its own, and need approval for grants', async () => {
    const guild = await setUp(2, 2, { roles: [{ roleId: 'gold', approvesGrants: true, removalsPerDay: 0 }] });
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), []);
    await guild.resync();
    const [grant] = await heldIn(guild);
    assert.deepEqual([grant?.grants, grant?.note], [1, 'Granting the role gold needs approval.']);
    assert.deepEqual(guild.rolesOf(0), []);
    await approveChangeSet(t.as(admin), grant?.id ?? '');
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    guild.hold(1, '0');
    await guild.resync();
    assert.deepEqual([(await heldIn(guild)).length, guild.rolesOf(1)], [1, ['gold']]);
  });

  it('in quiet hours grants go through, removals wait until they end, and those that are no longer due are dropped', async () => {
    const now = t.services.clock();
    const clockAt = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString().slice(11, 16);
    const guild = await setUp(4, 2, { quietHours: { from: clockAt(-1), to: clockAt(2), timeZone: 'UTC' } });
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), []);
    await guild.resync();
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(2), guild.rolesOf(3)], [['gold'], ['gold'], ['gold']]);
    const [waiting] = (await changeSetsOf(guild)).filter(({ revokes }) => revokes > 0);
    assert.match(waiting?.note ?? '', /^Quiet hours: these removals start at \d{4}-.*Z\.$/);
    guild.hold(3, '1');
    await guild.resync([3]);
    t.advanceSeconds(3 * 60 * 60);
    await guild.write();
    assert.deepEqual([guild.rolesOf(2), guild.rolesOf(3)], [[], ['gold']]);
  });

  it('with two approvers the first approval changes nothing, the same admin cannot give both, and the second applies it', async () => {
    const guild = await setUp(12, 0, { approvers: 2 });
    await guild.resync();
    const [held] = await heldIn(guild);
    const id = held?.id ?? '';
    await approveChangeSet(t.as(admin), id);
    await guild.write();
    assert.deepEqual([(await heldIn(guild)).length, holders(guild, 12)], [1, 12]);
    const shown = await handleGet(t.as(admin), { communityId: guild.id, changeSetId: id });
    assert.deepEqual([shown.approvers, shown.approvals.map(({ userId }) => userId)], [2, [admin.userId]]);
    await assert.rejects(approveChangeSet(t.as(admin), id), /already approved these role changes\. Another admin/);
    await approveChangeSet(t.as(operator), id);
    await guild.write();
    assert.equal(holders(guild, 12), 0);
    await assert.rejects(approveChangeSet(t.as(operator), id), { code: 'STATE_CONFLICT' });
  });

  it('one admin is enough to reject what two must approve', async () => {
    const guild = await setUp(12, 0, { approvers: 2 });
    await guild.resync();
    const [held] = await heldIn(guild);
    await approveChangeSet(t.as(operator), held?.id ?? '');
    await rejectChangeSet(t.as(admin), held?.id ?? '');
    await assert.rejects(approveChangeSet(t.as(admin), held?.id ?? ''), { code: 'STATE_CONFLICT' });
    await guild.write();
    assert.equal(holders(guild, 12), 12);
  });

  it('approving many removals, and changing the policy, require a recent sign-in', async () => {
    const guild = await setUp(12, 0);
    await guild.resync();
    const [held] = await heldIn(guild);
    const named = { communityId: guild.id, changeSetId: held?.id ?? '' };
    await assert.rejects(handleApprove(t.as(admin), named), { code: 'PRESENCE_REQUIRED' });
    const policy = { communityId: guild.id, body: { approvers: 1, roles: [] } };
    await assert.rejects(setApprovalPolicy(t.as(admin), policy), { code: 'PRESENCE_REQUIRED' });
    const present: Actor = { ...admin, presence: { how: 'passkey', at: t.services.clock() } };
    await setApprovalPolicy(t.as(present), policy);
    assert.equal((await handleApprove(t.as(present), named)).status, 'approved');
  });

  it('a policy with an unknown time zone, empty quiet hours or a role that is listed twice is refused and changes nothing', async () => {
    const guild = await setUp(1, 1, { removalsPerDay: 7 });
    const set = (body: Partial<Policy>) =>
      setApprovalPolicy(t.as(operator), { communityId: guild.id, body: { approvers: 1, roles: [], ...body } });
    const role = { roleId: 'gold', approvesGrants: false };
    const from = '22:00';
    await assert.rejects(set({ quietHours: { from, to: '07:00', timeZone: 'Mars/Olympus' } }), /IANA time zone/);
    await assert.rejects(set({ quietHours: { from, to: from, timeZone: 'UTC' } }), /quiet hours/);
    await assert.rejects(set({ roles: [role, role] }), /\/roles\/1\/roleId must not be listed twice/);
    assert.equal((await getApprovalPolicy(t.as(admin), { communityId: guild.id })).removalsPerDay, 7);
  });

  it('a policy is not found for non-admins', async () => {
    const guild = await setUp(1, 1, { removalsPerDay: 7 });
    await assert.rejects(getApprovalPolicy(t.as(mallory), { communityId: guild.id }), { code: 'ENTITY_NOT_FOUND' });
    const rows = await t.as(mallory).tx((tx) => tx.selectFrom('approval_policies').selectAll().execute());
    assert.deepEqual(rows, []);
  });
});
