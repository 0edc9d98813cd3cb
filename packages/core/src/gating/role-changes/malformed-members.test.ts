import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MemberUnreadable } from '../../ports/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { setUpGuild } from './testing/index.ts';

describe('members that the platform sends in a malformed form', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('malformed_members');
  });
  after(() => t.close());

  it('keep their roles and do not count as gone, while all others are checked', async () => {
    const guild = await setUpGuild(t, { members: 4, roles: () => ['gold'] });
    guild.hold(3, '1');
    // A first check, so that the malformed member is stored.
    for (const member of [0, 1, 2, 3]) guild.hold(member, '1');
    await guild.resync();
    for (const member of [0, 1, 2]) guild.hold(member, '0');
    t.advanceSeconds(3_600);
    const malformed = guild.nativeIdOf(1);
    const { readMembers, readMember } = t.host;
    t.host.readMembers = async function* (communityId, signal) {
      for await (const page of readMembers(communityId, signal))
        yield page.filter(({ userId }) => userId !== malformed);
      return { isComplete: false, reason: '1 member could not be read.' };
    };
    t.host.readMember = async (communityId, userId, signal) => {
      if (userId === malformed) throw new MemberUnreadable('The member could not be read.');
      return readMember(communityId, userId, signal);
    };
    await guild.resync();
    assert.deepEqual([0, 1, 2, 3].map(guild.rolesOf), [[], ['gold'], [], ['gold']]);
    const { rows } = await t.services.db.pool.query(
      'select left_at, role_ids from community_members where community_id = $1 and user_id = $2',
      [guild.id, guild.idOf(1)],
    );
    assert.deepEqual(rows, [{ left_at: null, role_ids: ['gold'] }]);
    const waiting = await t.services.db.pool.query('select user_id from reconcile_queue where community_id = $1', [
      guild.id,
    ]);
    assert.deepEqual(
      waiting.rows.map(({ user_id }) => user_id),
      [guild.idOf(1)],
      'the member is checked again later',
    );
    Object.assign(t.host, { readMembers, readMember });
    t.advanceSeconds(3_600);
    await guild.resync();
    assert.deepEqual(guild.rolesOf(1), [], 'once the member can be read again, the rules apply again');
  });
});
