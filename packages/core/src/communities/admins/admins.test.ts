import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { addMembers, newCommunity, newUser, type TestUser } from '../community/testing.ts';
import { updateAdmins } from './change-admins.ts';
import { addCommunityAdmin, listCommunityAdmins, removeCommunityAdmin } from './operations.ts';

describe('the admins of a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('admins');
  });
  afterEach(() => t.host.fail(undefined));
  after(() => t.close());

  const present = (user: TestUser) => t.as({ ...user, presence: { how: 'wallet', at: t.services.clock() } });

  /** A community with two members, and functions by which its owner changes its admins. */
  async function settle() {
    const made = await newCommunity(t);
    const [ada, bob] = [newUser(), newUser()];
    const guildId = made.community.communityId ?? '';
    for (const { nativeId } of [ada, bob]) t.host.addMember(guildId, nativeId);
    await addMembers(t, made.id, [{ userId: ada.userId }, { userId: bob.userId }]);
    const communityId = made.id;
    return {
      ...made,
      ada,
      bob,
      guildId,
      add: (by: TestUser, userId: string) => addCommunityAdmin(present(by), { communityId, userId }),
      remove: (by: TestUser, userId: string) => removeCommunityAdmin(present(by), { communityId, userId }),
      ids: async () =>
        (await listCommunityAdmins(t.as(made.owner), { communityId })).map(({ userId }) => userId).sort(),
    };
  }

  test('are listed with the reason why they are', async () => {
    const { owner, id, ada } = await settle();
    await updateAdmins(t.as(owner), { id, body: [owner.userId, ada.userId] });
    const listed = await listCommunityAdmins(t.as(owner), { communityId: id });
    const admins = listed.toSorted((a, b) => Number(b.isOwner) - Number(a.isOwner));
    assert.deepEqual(
      admins.map(({ userId, isOwner, ground, namedBy }) => [userId, isOwner, ground, namedBy]),
      [
        [owner.userId, true, 'platform', undefined],
        [ada.userId, false, 'named', owner.userId],
      ],
    );
  });

  test('are added one by one, on the caller’s or the platform’s authority', async () => {
    const { owner, ada, bob, guildId, add, ids } = await settle();
    t.host.addAdmin(guildId, bob.nativeId);
    const named = await add(owner, ada.nativeId);
    assert.deepEqual([named.userId, named.ground, named.namedBy], [ada.userId, 'named', owner.userId]);
    const confirmed = await add(owner, bob.userId);
    assert.deepEqual([confirmed.ground, confirmed.namedBy], ['platform', undefined]);
    assert.ok(confirmed.confirmedTime);
    assert.equal((await add(bob, ada.userId)).namedBy, owner.userId, 'adding the same admin again changes nothing');
    assert.deepEqual(await ids(), [owner.userId, ada.userId, bob.userId].sort());
  });

  test('are added while the platform is unavailable, if they are members', async () => {
    const { owner, id, ada, guildId, add } = await settle();
    const outsider = newUser();
    t.host.fail('Discord is down.');
    assert.equal((await add(owner, ada.userId)).ground, 'named');
    await assert.rejects(add(owner, outsider.userId), { code: 'STATE_CONFLICT', message: /Discord cannot be reached/ });
    t.host.fail(undefined);
    await assert.rejects(add(owner, outsider.userId), { code: 'STATE_CONFLICT', message: /not a member/ });
    const named = newUser();
    await updateAdmins(t.as(owner), { id, body: [owner.userId, ada.userId, named.userId] });
    assert.equal((await add(owner, named.userId)).ground, 'named', 'an existing admin stays one');
    t.host.addMember(guildId, outsider.nativeId);
    t.host.addAdmin(guildId, outsider.nativeId);
    assert.equal(
      (await add(owner, outsider.userId)).ground,
      'platform',
      'a member who manages it on the platform is an admin there too',
    );
  });

  test('cannot be changed without a recent sign-in, nor be bots, invalid ids or more than a hundred', async () => {
    const { owner, id, ada, bob, add, ids } = await settle();
    for (const change of [addCommunityAdmin, removeCommunityAdmin])
      await assert.rejects(change(t.as(owner), { communityId: id, userId: ada.userId }), { code: 'PRESENCE_REQUIRED' });
    const bot = newUser();
    await addMembers(t, id, [{ userId: bot.userId, isBot: true }]);
    await assert.rejects(add(owner, bot.userId), { code: 'STATE_CONFLICT', message: /bot/ });
    for (const nonsense of ['#', 'TEL#COMM#1', '../1'])
      await assert.rejects(add(owner, nonsense), { code: 'INVALID_PARAMETER_VALUE' });
    const crowd = Array.from({ length: 98 }, () => newUser().userId);
    await updateAdmins(t.as(owner), { id, body: [owner.userId, ada.userId, ...crowd] });
    await assert.rejects(add(owner, bob.userId), { code: 'STATE_CONFLICT', message: /100 admins/ });
    assert.equal((await ids()).length, 100);
  });

  test('take the admins only they added with them, and never the admin who removes them', async () => {
    const { owner, ada, bob, add, remove, ids } = await settle();
    await add(owner, ada.userId);
    await add(ada, bob.userId);
    await assert.rejects(remove(bob, ada.userId), { code: 'STATE_CONFLICT', message: /they named you/ });
    await assert.rejects(remove(ada, owner.userId), { code: 'STATE_CONFLICT', message: /owner/ });
    assert.deepEqual(await ids(), [owner.userId, ada.userId, bob.userId].sort());
    await remove(owner, ada.nativeId);
    assert.deepEqual(await ids(), [owner.userId]);
    await assert.rejects(remove(owner, ada.userId), { code: 'ENTITY_NOT_FOUND' });
    await add(owner, bob.userId);
    await remove(bob, bob.userId);
    assert.deepEqual(await ids(), [owner.userId], 'an admin can leave');
  });
});
