import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { admin, type Guild, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { type MemberListEnd, PlatformFailed } from '../../ports/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { type MemberRow, putMembers, selectMembers } from '../memberships/index.ts';
import { getMemberList } from './operations.ts';
import { noteMember, syncMembers } from './sync-members.ts';

describe('members', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('members');
  });
  after(() => t.close());

  async function settle(members = 3): Promise<
    Guild & {
      sync(): Promise<void>;
      row(member: number): Promise<MemberRow | undefined>;
    }
  > {
    const guild = await setUpGuild(t, { members, withWallets: false });
    const place = { id: guild.id, platform: 'discord' as const, community_id: guild.guildId };
    return {
      ...guild,
      sync: () => syncMembers(t.services, t.host, place),
      row: async (member) => (await selectMembers(t.services.db.system, guild.id, [guild.idOf(member)]))[0],
    };
  }

  it('a read of the platform finds members who joined, changed and left', async () => {
    const guild = await settle();
    await guild.sync();
    t.advanceSeconds(60);
    t.host.addMember(guild.guildId, guild.nativeIdOf(0), ['b', 'a']);
    t.host.removeMember(guild.guildId, guild.nativeIdOf(1));
    t.host.addMember(guild.guildId, guild.nativeIdOf(7), []);
    await guild.sync();
    assert.deepEqual((await guild.row(0))?.role_ids, ['a', 'b']);
    assert.notEqual((await guild.row(1))?.left_at, null);
    assert.equal((await guild.row(7))?.left_at, null);
  });

  it('a member missing from the list is looked up by id before counting as gone', async () => {
    const guild = await settle(2);
    await guild.sync();
    t.advanceSeconds(60);
    const { readMembers } = t.host;
    t.host.readMembers = async function* () {};
    await guild.sync();
    t.host.readMembers = readMembers;
    assert.equal((await guild.row(1))?.left_at, null);
  });

  it('where a platform lists only some members, the others are looked up, the longest unseen first', async () => {
    const guild = await settle(20);
    await guild.sync();
    t.advanceSeconds(60);
    const { readMembers, readMember } = t.host;
    const requests: string[] = [];
    t.host.listsEveryone = false;
    t.host.readMembers = async function* () {};
    t.host.readMember = async (communityId, userId, signal) => {
      if (requests.length === 8) throw new PlatformFailed('unavailable', 'The limit is used up.', 60);
      requests.push(userId);
      return readMember(communityId, userId, signal);
    };
    t.host.removeMember(guild.guildId, guild.nativeIdOf(3));
    await guild.sync();
    assert.notEqual((await guild.row(3))?.left_at, null);
    assert.equal((await guild.row(19))?.left_at, null, 'a member who was not reached stays');
    const first = requests.splice(0);
    t.advanceSeconds(60);
    await guild.sync();
    Object.assign(t.host, { readMembers, readMember });
    delete t.host.listsEveryone;
    assert.equal(new Set([...first, ...requests]).size, 16, 'the next read continues where this one ended');
  });

  it('a list that was cut off counts as partial, and a complete one as all members', async () => {
    const guild = await settle(3);
    await guild.sync();
    const { readMembers, readMember } = t.host;
    const requests: string[] = [];
    const syncWith = async (end: MemberListEnd) => {
      t.advanceSeconds(60);
      t.host.readMembers = async function* () {
        yield [];
        return end;
      };
      await guild.sync();
    };
    t.host.readMember = async (communityId, userId, signal) => {
      requests.push(userId);
      if (requests.length > 3) throw new PlatformFailed('unavailable', 'The limit is used up.', 60);
      return readMember(communityId, userId, signal);
    };
    try {
      t.host.removeMember(guild.guildId, guild.nativeIdOf(0));
      await syncWith({ isComplete: false, reason: 'It was cut.' });
      assert.equal(requests.length, 3);
      const asAdmin = t.as(admin);
      const communityId = guild.guildId;
      const report = { communityId: guild.id, listedTime: t.services.clock().toISOString(), listed: 0 };
      const cut = { ...report, isComplete: false, reason: 'It was cut.' };
      assert.deepEqual(await getMemberList(asAdmin, { communityId }), cut);
      assert.notEqual((await guild.row(0))?.left_at, null, 'looked up by id');
      assert.equal((await guild.row(1))?.left_at, null);
      await syncWith({ isComplete: false });
      assert.equal((await guild.row(1))?.left_at, null, 'not reached, so still there');
      t.host.listsEveryone = false;
      await assert.rejects(syncWith({ isComplete: true }), /limit is used up/);
      assert.equal((await guild.row(1))?.left_at, null);
    } finally {
      Object.assign(t.host, { readMembers, readMember });
      delete t.host.listsEveryone;
    }
  });

  it('shows only admins how the last listing ended', async () => {
    const guild = await settle(2);
    const [communityId, ask] = [guild.guildId, t.as(admin)];
    assert.deepEqual(await getMemberList(ask, { communityId }), { communityId: guild.id });
    await guild.sync();
    const report = await getMemberList(ask, { communityId: guild.id });
    assert.deepEqual([report.listed, report.isComplete, report.reason], [2, true, undefined]);
    t.host.fail('Discord does not answer.');
    t.advanceSeconds(60);
    await assert.rejects(guild.sync(), /does not answer/);
    t.host.fail(undefined);
    assert.deepEqual(await getMemberList(ask, { communityId }), report, 'an interrupted list proves nothing');
    await assert.rejects(getMemberList(t.as(mallory), { communityId }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(getMemberList(ask, { communityId: 'nowhere' }), { code: 'ENTITY_NOT_FOUND' });
  });

  it('aborts a listing that cannot be stored', async () => {
    const guild = await settle(1);
    const { readMembers } = t.host;
    let isEnded = false;
    t.host.readMembers = async function* () {
      try {
        yield [{ userId: '\u0000', roleIds: [] }];
      } finally {
        isEnded = true;
      }
    };
    await assert.rejects(guild.sync());
    t.host.readMembers = readMembers;
    assert.equal(isEnded, true);
  });

  it('a protected member stays protected while events do not mention it, and until they leave', async () => {
    const guild = await settle(1);
    const place = [guild.id, [{ userId: guild.idOf(0), roleIds: [], isProtected: true }]] as const;
    await putMembers(t.services.db.system, ...place, t.services.clock());
    await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(0), { kind: 'updated', roleIds: [] });
    assert.equal((await guild.row(0))?.is_protected, true);
    await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(0), { kind: 'left' });
    assert.equal((await guild.row(0))?.is_protected, null);
  });

  it('an interrupted read makes no member leave', async () => {
    const guild = await settle(2);
    await guild.sync();
    t.advanceSeconds(60);
    t.host.fail('Discord does not answer.');
    await assert.rejects(guild.sync(), /does not answer/);
    t.host.fail(undefined);
    assert.equal((await guild.row(1))?.left_at, null);
  });

  it('an older read never overwrites a newer one', async () => {
    const guild = await settle(1);
    const old = t.services.clock();
    t.advanceSeconds(5);
    const put = (roleIds: string[], at: Date) =>
      putMembers(t.services.db.system, guild.id, [{ userId: guild.idOf(0), roleIds }], at);
    await put(['new'], t.services.clock());
    await put(['old'], old);
    assert.deepEqual((await guild.row(0))?.role_ids, ['new']);
  });

  it('platform events are stored, and a member who joined is checked', async () => {
    const guild = await settle(0);
    const note = (news: Parameters<typeof noteMember>[4]) =>
      noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(0), news);
    await note({ kind: 'joined', userName: 'cat', roleIds: ['x'] });
    await note({ kind: 'active' });
    const affected = await t.services.db.system
      .selectFrom('reconcile_queue')
      .select(['user_id', 'cause'])
      .where('community_id', '=', guild.id)
      .execute();
    assert.deepEqual(affected, [{ user_id: guild.idOf(0), cause: 'joined' }]);
    const [row] = await selectMembers(t.services.db.system, guild.id, [guild.idOf(0)]);
    assert.deepEqual([row?.user_name, row?.role_ids, row?.last_active_at], ['cat', ['x'], t.services.clock()]);
    await note({ kind: 'left' });
    assert.notEqual((await guild.row(0))?.left_at, null);
    await noteMember(t.services, 'discord', 'nowhere', '1', { kind: 'left' });
  });
});
