import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { newCommunity, newUser, type TestUser } from '../community/testing.ts';
import { createGuestPass, issueGuestPass } from '../guest-passes/index.ts';
import { markActive, markLeft, putMembers } from '../memberships/index.ts';
import { getMember, listHeldRoles, listMembers, type MembersRequest, memberOperations } from './operations.ts';

const address = (letter: string) => `0x${letter.repeat(38)}01`;

describe('the members of a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('member-search');
  });
  after(() => t.close());

  interface Settled {
    owner: TestUser;
    id: string;
    guildId: string;
    users: Readonly<Record<string, ReturnType<typeof newUser>>>;
    names(
      request?: MembersRequest & { limit?: number; as?: TestUser | typeof operator },
    ): Promise<(string | undefined)[]>;
  }

  /** A community whose members are named by the keys, with these roles. */
  async function settle(members: Readonly<Record<string, readonly string[]>>): Promise<Settled> {
    const { owner, id, community } = await newCommunity(t);
    const users = Object.fromEntries(Object.keys(members).map((name) => [name, newUser()]));
    const seen = Object.entries(members).map(([name, roleIds]) => ({
      userId: users[name]?.userId ?? '',
      userName: name === '' ? undefined : name,
      roleIds,
    }));
    await putMembers(t.services.db.system, id, seen, t.services.clock());
    return {
      owner,
      id,
      guildId: community.communityId ?? '',
      users,
      names: async ({ as = owner, ...request } = {}) => {
        const names: (string | undefined)[] = [];
        let paginationToken: string | undefined;
        do {
          const page = await listMembers(t.as(as), { communityId: id, ...request, paginationToken });
          names.push(...page.items.map(({ userName }) => userName));
          paginationToken = page.paginationToken;
        } while (paginationToken !== undefined);
        return names;
      },
    };
  }

  async function link(userId: string, to: string): Promise<void> {
    await t.services.db.system
      .insertInto('wallet_connections')
      .values({
        id: `w${userId}${to}`,
        user_id: userId,
        platform: 'discord',
        user_name: null,
        namespace: 'evm',
        address: to,
        created_at: t.services.clock(),
      })
      .execute();
  }

  it('are listed by name ignoring case, in pages of any size, without bots and those who left', async () => {
    const guild = await settle({ dora: [], Anna: ['silver', 'gold'], '': [], BERT: ['gold'], carl: [] });
    const db = t.services.db.system;
    await putMembers(db, guild.id, [{ userId: 'DIS#USER#1', userName: 'aabot', roleIds: [], isBot: true }], new Date());
    await markLeft(db, guild.id, [guild.users.carl?.userId ?? ''], t.services.clock());
    for (const limit of [1, 2, 3, 100])
      assert.deepEqual(await guild.names({ limit }), ['Anna', 'BERT', 'dora', undefined], `pages of ${limit}`);
    const [anna] = (await listMembers(t.as(guild.owner), { communityId: guild.guildId })).items;
    assert.deepEqual(anna?.roles, [
      { roleId: 'gold', roleName: 'Gold' },
      { roleId: 'silver', roleName: 'Silver' },
    ]);
    assert.deepEqual([anna?.wallets, anna?.hasGuestPass, anna?.isProtected], [0, false, false]);
    assert.equal(anna?.platformUserId, guild.users.Anna?.nativeId);
  });

  it('are found by any part of a name or of the platform’s own id, taken literally', async () => {
    const names = ['Ünal%', 'back\\slash', '<b>x</b>', '\u202eevil', 'İdil', 'a_b', 'x'.repeat(4000)];
    const guild = await settle(Object.fromEntries(names.map((name) => [name, []])));
    assert.deepEqual(await guild.names({ search: 'ünal' }), ['Ünal%']);
    assert.deepEqual(await guild.names({ search: ' @ÜNAL ' }), ['Ünal%']);
    assert.deepEqual(await guild.names({ search: '%' }), ['Ünal%'], 'a percent sign is not a wildcard');
    assert.deepEqual(await guild.names({ search: '_' }), ['a_b'], 'an underscore is not a wildcard');
    assert.deepEqual(await guild.names({ search: '\\' }), ['back\\slash']);
    assert.deepEqual(await guild.names({ search: '<B>' }), ['<b>x</b>']);
    assert.deepEqual(await guild.names({ search: 'x'.repeat(100) }), ['x'.repeat(4000)]);
    assert.deepEqual(await guild.names({ search: 'idil' }), ['İdil']);
    assert.deepEqual(await guild.names({ search: guild.users.a_b?.nativeId }), ['a_b']);
    assert.deepEqual(await guild.names({ search: 'DIS#USER#' }), [], 'the common prefix of all ids finds no member');
    assert.equal((await guild.names({ search: '  ' })).length, names.length, 'an empty search is no search');
  });

  it('are filtered by roles, wallets and guest passes, and ordered by activity', async () => {
    const guild = await settle({ anna: ['gold'], bert: ['gold', 'silver'], carl: ['silver'], dora: [] });
    const { anna, carl } = guild.users;
    const clock = t.services.clock();
    await link(anna?.userId ?? '', address('a'));
    assert.deepEqual(await guild.names({ roleIds: ['gold'] }), ['anna', 'bert']);
    assert.deepEqual(await guild.names({ roleIds: ['gold', 'silver'] }), ['anna', 'bert', 'carl']);
    assert.deepEqual(await guild.names({ roleIds: ['gold', 'silver'], roleMatch: 'all' }), ['bert']);
    assert.deepEqual(await listHeldRoles(t.as(guild.owner), { communityId: guild.id }), [
      { roleId: 'gold', roleName: 'Gold', members: 2 },
      { roleId: 'silver', roleName: 'Silver', members: 2 },
    ]);
    assert.deepEqual(await guild.names({ hasWallet: true }), ['anna']);
    assert.deepEqual(await guild.names({ hasWallet: false, roleIds: ['gold'] }), ['bert']);
    const pass = await createGuestPass(t.as(guild.owner), {
      guildId: guild.guildId,
      body: { name: 'Visitors', roleSet: [{ id: '123456789012345678' }], period: 3600 },
    });
    await issueGuestPass(t.as(guild.owner), {
      guildId: guild.guildId,
      passId: pass.id ?? '',
      userId: carl?.userId ?? '',
    });
    assert.deepEqual(await guild.names({ hasGuestPass: true }), ['carl']);
    assert.deepEqual(await guild.names({ hasGuestPass: false }), ['anna', 'bert', 'dora']);
    await markActive(t.services.db.system, guild.id, carl?.userId ?? '', clock);
    await markActive(t.services.db.system, guild.id, anna?.userId ?? '', new Date(clock.getTime() - 1000));
    for (const limit of [1, 3])
      assert.deepEqual(await guild.names({ order: 'activity', limit }), ['carl', 'anna', 'bert', 'dora']);
    const shown = await getMember(t.as(guild.owner), { communityId: guild.id, userId: carl?.nativeId ?? '' });
    assert.deepEqual([shown.guestPasses.map(({ name }) => name), shown.wallets], [['Visitors'], []]);
    t.advanceSeconds(3601);
    assert.deepEqual(await guild.names({ hasGuestPass: true }), []);
  });

  it('are found by address only by viewers who may see it', async () => {
    const guild = await settle({ anna: [], bert: [] });
    const { anna, bert } = guild.users;
    await putMembers(
      t.services.db.system,
      guild.id,
      [{ userId: guild.owner.userId, userName: 'zoe', roleIds: [] }],
      t.services.clock(),
    );
    await link(anna?.userId ?? '', address('b'));
    await link(guild.owner.userId, address('c'));
    assert.deepEqual(await guild.names({ search: 'bbbbBBBB' }), [], 'an admin does not');
    assert.deepEqual(await guild.names({ search: 'cccc' }), ['zoe'], 'a member finds their own');
    assert.deepEqual(await guild.names({ search: 'BBbb', as: operator }), ['anna']);
    assert.deepEqual(await guild.names({ search: 'bbb', as: operator }), [], 'too few characters match nothing');
    const member = { communityId: guild.id, userId: anna?.userId ?? '' };
    const [asAdmin] = (await getMember(t.as(guild.owner), member)).wallets;
    assert.deepEqual([asAdmin?.namespace, asAdmin?.address], ['evm', undefined]);
    const [asOperator] = (await getMember(t.as(operator), member)).wallets;
    assert.equal(asOperator?.address, address('b'));
    assert.deepEqual((await getMember(t.as(guild.owner), { ...member, userId: bert?.userId ?? '' })).wallets, []);
  });

  it('are shown individually even after they left, and non-members are not', async () => {
    const guild = await settle({ anna: ['gold'] });
    const { anna } = guild.users;
    await markLeft(t.services.db.system, guild.id, [anna?.userId ?? ''], t.services.clock());
    const shown = await getMember(t.as(guild.owner), { communityId: guild.id, userId: anna?.userId ?? '' });
    assert.deepEqual([shown.userName, shown.roles, shown.leftTime], ['anna', [], t.services.clock().toISOString()]);
    const stranger = { communityId: guild.id, userId: newUser().userId };
    await assert.rejects(getMember(t.as(guild.owner), stranger), { code: 'ENTITY_NOT_FOUND' });
  });

  it('are shown without role names while the platform does not respond', async () => {
    const guild = await settle({ anna: ['gold'] });
    const { readRoles } = t.host;
    t.host.readRoles = () => Promise.reject(new DOMException('The operation timed out.', 'TimeoutError'));
    const [anna] = (await listMembers(t.as(guild.owner), { communityId: guild.id })).items;
    t.host.readRoles = readRoles;
    assert.deepEqual(anna?.roles, [{ roleId: 'gold', roleName: undefined }]);
  });

  it('are for admins of the community, and a token of one list does not open another', async () => {
    const guild = await settle({ anna: [], bert: [] });
    for (const { route, contract } of memberOperations) {
      const admits = (actor: TestUser | typeof mallory) => contract.access.object?.admits(t.as(actor), guild.id);
      assert.deepEqual([await admits(guild.owner), await admits(mallory)], [true, false], route);
    }
    await assert.rejects(listMembers(t.as(mallory), { communityId: guild.id }), { code: 'ENTITY_NOT_FOUND' });
    const { paginationToken } = await listMembers(t.as(guild.owner), { communityId: guild.id, limit: 1 });
    const other = { communityId: guild.id, limit: 1, paginationToken, search: 'b' };
    await assert.rejects(listMembers(t.as(guild.owner), other), { code: 'INVALID_PAGINATION_TOKEN' });
  });
});
