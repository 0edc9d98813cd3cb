import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { ruleOperations } from '../../gating/community-rules/operations.ts';
import { getAdministratedCommunities } from '../../surfaces/account/operations.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { confirmAdmins } from '../access/confirm-admins.ts';
import { createCommunity } from '../community/create.ts';
import { communities } from '../community/operations.ts';
import { getCommunityById } from '../community/reads.ts';
import { addMembers, newCommunity, newUser, type TestUser } from '../community/testing.ts';
import { noteMember } from '../members/index.ts';
import { transferCommunity, updateAdmins } from './change-admins.ts';
import { confirmAdminsJob, recheckAdmins, startAsking } from './jobs.ts';

type Person = ReturnType<typeof newUser>;

const daySeconds = 24 * 60 * 60;
const ruleRoutes = [
  'POST /communities/{id}/tpcs',
  'PUT /communities/{id}/tpcs/{tpcId}',
  'DELETE /communities/{id}/tpcs/{tpcId}',
  'PATCH /communities/{id}/admins',
  'PATCH /communities/{id}',
  'DELETE /communities/{id}',
];
const [makeRule = ''] = ruleRoutes;

describe('who administers a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('who-rules');
  });
  afterEach(() => t.host.fail(undefined));
  after(() => t.close());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  async function admits(route: string, actor: Actor, id: string): Promise<boolean> {
    const { access } =
      [...communities.operations, ...ruleOperations].find((operation) => operation.route === route)?.contract ?? {};
    assert.ok(access?.object, route);
    return access.object.admits(t.as(actor), id);
  }

  const shown = (id: string) => getCommunityById(t.as(operator), { id });
  const adminsOf = async (id: string) => (await shown(id)).admins;
  const nativeIdOf = ({ userId }: TestUser) => userId.split('#').at(-1) ?? '';

  /** A community, its owner on the platform, and a member who can be made an admin. */
  async function settle() {
    const made = await newCommunity(t);
    const guildId = made.community.communityId ?? '';
    const helper = newUser();
    t.host.addMember(guildId, helper.nativeId);
    const name = async (by: Actor, ...others: readonly { userId: string }[]) =>
      updateAdmins(t.as(by), { id: made.id, body: [made.owner.userId, ...others.map(({ userId }) => userId)] });
    return { ...made, guildId, helper, name };
  }

  async function setUpTwoAdmins() {
    const settled = await settle();
    const second: Person = newUser();
    t.host.addMember(settled.guildId, second.nativeId);
    t.host.addAdmin(settled.guildId, second.nativeId);
    await settled.name(settled.owner, second);
    await confirmAdmins(t.services, settled.id);
    return { ...settled, second };
  }

  it('is checked with the platform on every change, and an admin who was dismissed there is removed', async () => {
    for (const route of ruleRoutes) {
      const { id, guildId, owner, second } = await setUpTwoAdmins();
      assert.equal(await admits(route, second, id), true);
      t.host.removeAdmin(guildId, second.nativeId);
      await assert.rejects(admits(route, second, id), refusal('ROLE_NOT_ALLOWED'), route);
      assert.deepEqual(await adminsOf(id), [owner.userId]);
      assert.equal(await admits(route, second, id), false, 'afterwards not an admin any more');
      assert.equal(await admits(route, owner, id), true);
    }
  });

  it('removes an owner who no longer manages it on the platform, and gives the community to the owner there', async () => {
    const { id, guildId, owner, second } = await setUpTwoAdmins();
    t.host.removeAdmin(guildId, nativeIdOf(owner));
    await assert.rejects(admits(makeRule, owner, id), refusal('ROLE_NOT_ALLOWED'));
    const community = await shown(id);
    assert.deepEqual([community.ownerId, community.admins], [second.userId, [second.userId]]);
  });

  it('leaves a community without an owner to the next member who manages it on the platform', async () => {
    const { id, guildId, owner, helper } = await settle();
    t.host.removeAdmin(guildId, nativeIdOf(owner));
    await confirmAdmins(t.services, id);
    assert.deepEqual(
      [(await shown(id)).ownerId, (await shown(id)).status, await adminsOf(id)],
      ['$admin', 'active', []],
    );
    const stranger = newUser();
    await addMembers(t, id, [{ userId: helper.userId }, { userId: stranger.userId }]);
    const listed = async (person: Actor, reload: boolean) =>
      (await getAdministratedCommunities(t.as(person), { reload })).items.map((community) => community.id);
    assert.deepEqual(await listed(helper, true), [], 'a plain member does not get it');
    t.host.addAdmin(guildId, helper.nativeId);
    assert.deepEqual(await listed(helper, false), []);
    assert.deepEqual(await listed(helper, true), [id]);
    assert.deepEqual(await listed(stranger, true), []);
    assert.equal((await shown(id)).ownerId, helper.userId);
    assert.equal(await admits(makeRule, helper, id), true);
  });

  it('is checked at once when a user reloads the list', async () => {
    const { id, guildId, second } = await setUpTwoAdmins();
    const listed = async (reload: boolean) =>
      (await getAdministratedCommunities(t.as(second), { reload })).items.map((community) => community.id);
    t.host.removeAdmin(guildId, second.nativeId);
    assert.deepEqual(await listed(false), [id]);
    assert.deepEqual(await listed(true), []);
    assert.equal(await admits('GET /communities/{id}/tpcs', second, id), false);
  });

  it('removes no admin and admits no one while the platform does not respond', async () => {
    const { id, guildId, owner, second } = await setUpTwoAdmins();
    t.host.removeAdmin(guildId, second.nativeId);
    t.host.fail('Discord is down.');
    assert.equal(await admits(makeRule, second, id), true, 'confirmed a moment ago');
    t.advanceSeconds(daySeconds + 1);
    for (const person of [owner, second]) {
      await assert.rejects(admits(makeRule, person, id), refusal('UNAVAILABLE'));
      assert.equal(await admits('GET /communities/{id}/tpcs', person, id), true, 'reading still works');
    }
    await assert.rejects(admits(makeRule, owner, id), /Discord cannot confirm .* last 24 hours/);
    await confirmAdmins(t.services, id);
    assert.equal((await adminsOf(id))?.length, 2);
    t.host.fail(undefined);
    assert.equal(await admits(makeRule, owner, id), true);
    await assert.rejects(admits(makeRule, second, id), refusal('ROLE_NOT_ALLOWED'));
  });

  it('removes no admin because of a single read that shows too little', async () => {
    const { id, owner } = await settle();
    const { administers } = t.host;
    let looks = 0;
    t.host.administers = async (...args) => {
      looks += 1;
      return looks === 1 ? false : ((await administers?.(...args)) ?? false);
    };
    try {
      assert.equal(await admits(makeRule, owner, id), true);
      assert.equal(looks, 2);
    } finally {
      if (administers !== undefined) t.host.administers = administers;
    }
  });

  describe('a user that an admin added', () => {
    it('stays without permissions on the platform, until they leave the community', async () => {
      const { id, guildId, owner, helper, name } = await settle();
      await addMembers(t, id, [{ userId: helper.userId }]);
      await name(owner, helper);
      await confirmAdmins(t.services, id);
      assert.equal(await admits(makeRule, helper, id), true);
      await noteMember(t.services, 'discord', guildId, helper.nativeId, { kind: 'left' });
      await assert.rejects(admits(makeRule, helper, id), refusal('ROLE_NOT_ALLOWED'));
      assert.deepEqual(await adminsOf(id), [owner.userId]);
    });

    it('is removed with the admin who added them, and so are those added further on', async () => {
      const { id, guildId, owner, helper, second, name } = await setUpTwoAdmins();
      const friend = newUser();
      t.host.addMember(guildId, friend.nativeId);
      await name(second, second, helper);
      await name(helper, second, helper, friend);
      assert.equal(await admits(makeRule, friend, id), true);
      t.host.removeAdmin(guildId, second.nativeId);
      await assert.rejects(admits(makeRule, friend, id), refusal('ROLE_NOT_ALLOWED'));
      assert.deepEqual(await adminsOf(id), [owner.userId]);
    });

    it('stays if a confirmed admin keeps them while the one who added them is removed', async () => {
      const { id, guildId, owner, helper, second, name } = await setUpTwoAdmins();
      await name(second, second, helper);
      await name(owner, helper);
      t.host.removeAdmin(guildId, second.nativeId);
      await confirmAdmins(t.services, id);
      assert.deepEqual(await adminsOf(id), [owner.userId, helper.userId].toSorted());
    });

    it('who was once confirmed by the platform and was dismissed there is removed all the same', async () => {
      const { id, guildId, owner, second } = await setUpTwoAdmins();
      t.host.removeAdmin(guildId, second.nativeId);
      await confirmAdmins(t.services, id);
      assert.deepEqual(await adminsOf(id), [owner.userId]);
    });

    it('by the operator needs no platform', async () => {
      const owner = newUser();
      const body = { platform: 'telegram', communityId: '-100500', ownerId: owner.userId } as const;
      const { id = '' } = await createCommunity(t.as(operator), { body });
      assert.equal(await admits(makeRule, owner, id), true);
      const heir = newUser();
      await transferCommunity(t.as(operator), { id, userId: heir.userId });
      assert.equal(await admits(makeRule, heir, id), true);
      await confirmAdmins(t.services, id);
      assert.deepEqual([(await shown(id)).ownerId, (await adminsOf(id))?.length], [heir.userId, 2]);
    });
  });

  it('is checked once a day, and soon after the platform reports a change', async () => {
    const { id, guildId, owner, second } = await setUpTwoAdmins();
    const takeJobs = async () => {
      const rows = await t.services.db.system
        .deleteFrom('jobs')
        .where('name', '=', confirmAdminsJob.name)
        .returning('payload')
        .execute();
      const payloads = rows.map(({ payload }) => payload as { communityId: string; userId?: string });
      return payloads.filter(({ communityId }) => communityId === id);
    };
    const run = { id: '1', attempt: 1, signal: new AbortController().signal };
    await takeJobs();
    await startAsking.run(t.services, {}, run);
    assert.deepEqual(await takeJobs(), []);
    t.advanceSeconds(daySeconds + 1);
    await startAsking.run(t.services, {}, run);
    await startAsking.run(t.services, {}, run);
    const [daily, ...more] = await takeJobs();
    assert.deepEqual([daily, more], [{ communityId: id }, []]);

    await recheckAdmins(t.services.db.system, id, newUser().userId);
    assert.deepEqual(await takeJobs(), [], 'plain members are not checked');
    t.host.removeAdmin(guildId, second.nativeId);
    await recheckAdmins(t.services.db.system, id, second.userId);
    const [report] = await takeJobs();
    assert.deepEqual(report, { communityId: id, userId: second.userId });
    await confirmAdminsJob.run(t.as({ kind: 'system', job: 'test' }), report ?? { communityId: '' }, run);
    assert.deepEqual(await adminsOf(id), [owner.userId]);
  });
});
