import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import type { Community, NewCommunity } from './community.ts';
import { createCommunity } from './create.ts';
import { findCommunities, getCommunityById } from './reads.ts';
import { newCommunity, newGuild, newUser } from './testing.ts';

describe('adding a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('adding-communities');
  });
  after(() => t.close());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  const internal: Actor = {
    kind: 'client',
    credential: 'api-key',
    client: { id: 'own', name: 'own', allowedScopes: ['$internal', 'community:write'], disallowedScopes: [] },
  };

  it('makes a user who administers it on the platform its owner and first admin, on the starter plan', async () => {
    const { owner, community } = await newCommunity(t);
    assert.match(community.id ?? '', /^DIS#COMM#\d+$/);
    assert.equal(community.pk, community.id);
    assert.deepEqual([community.sk, community.status, community.name], ['COMMUNITY', 'active', 'Cats']);
    assert.deepEqual([community.ownerId, community.admins], [owner.userId, [owner.userId]]);
    assert.deepEqual(community.activePlans, ['starter']);
    assert.deepEqual(await getCommunityById(t.as(owner), { id: community.id ?? '' }), community);
    assert.deepEqual(await getCommunityById(t.as(owner), { id: community.communityId ?? '' }), community);
  });

  it('is refused to a user who does not administer it, and where the bot is missing, in the same words', async () => {
    const communityId = newGuild(t, newUser());
    const messages = [];
    for (const id of [communityId, '1']) {
      const adding = createCommunity(t.as(mallory), { body: { platform: 'discord', communityId: id } });
      await assert.rejects(adding, refusal('ROLE_NOT_ALLOWED'));
      messages.push(await adding.catch((error: AppError) => error.message));
    }
    assert.equal(messages[0], messages[1]);
  });

  it('is refused to an identity of another platform and to an app that is not the operator’s', async () => {
    const user = newUser();
    const body = { platform: 'discord', communityId: newGuild(t, user) } as const;
    const onTelegram: Actor = { ...user, userId: `TEL#USER#${user.nativeId}`, platform: 'telegram' };
    await assert.rejects(createCommunity(t.as(onTelegram), { body }), refusal('ROLE_NOT_ALLOWED'));
    const made = await createDevelopmentApp(t.as(operator), { userId: user.userId, name: 'App', scopes: [] });
    const program: Actor = {
      kind: 'client',
      credential: 'api-key',
      client: { id: made.id ?? '', name: 'App', allowedScopes: ['community:write'], disallowedScopes: [] },
    };
    await assert.rejects(createCommunity(t.as(program), { body }), refusal('ROLE_NOT_ALLOWED'));
    assert.ok(await createCommunity(t.as(user), { body }));
  });

  it('fails while the platform cannot be reached, instead of believing the caller', async () => {
    const user = newUser();
    const communityId = newGuild(t, user);
    t.host.fail('Discord is down.');
    const body = { platform: 'discord', communityId } as const;
    await assert.rejects(createCommunity(t.as(user), { body }), refusal('UNAVAILABLE'));
    t.host.fail(undefined);
    const silent = { ...t.as(user), hosts: {} };
    await assert.rejects(createCommunity(silent, { body }), refusal('NOT_CONFIGURED'));
    await assert.rejects(
      createCommunity(silent, { body }),
      /Discord is not configured\. Set LATCHKEY_DISCORD_BOT_TOKEN/,
    );
    const mute = { ...t.as(user), hosts: { discord: { ...t.host, administers: undefined } } };
    await assert.rejects(createCommunity(mute as unknown as typeof silent, { body }), refusal('UNAVAILABLE'));
    assert.deepEqual((await findCommunities(t.as(user), {})).items, []);
  });

  it('is open to the operator and the operator’s own apps, which may set the owner', async () => {
    const owner = newUser();
    for (const [actor, communityId] of [
      [operator, 'op-1'],
      [internal, 'op-2'],
    ] as const) {
      const body = { platform: 'telegram', communityId, ownerId: owner.userId } as const;
      const community = await createCommunity(t.as(actor), { body });
      assert.deepEqual([community.ownerId, community.admins], [owner.userId, [owner.userId]]);
      await assert.rejects(
        createCommunity(t.as(actor), { body: { ...body, communityId: 'op-3', ownerId: 'nobody' } }),
        refusal('VALIDATION_FAILED'),
      );
    }
    assert.equal((await findCommunities(t.as(owner), {})).items.length, 2);
  });

  it('takes nothing from the body that its sender may not decide', async () => {
    const user = newUser();
    const communityId = newGuild(t, user);
    const body: NewCommunity = {
      platform: 'discord',
      communityId,
      cashtag: '$CATS',
      status: 'kicked',
      ownerId: 'DIS#USER#1',
      admins: ['DIS#USER#1'],
      activePlans: ['community'],
      createdTime: 'then',
      tpcs: [{ roleId: 'gold' }],
      stats: { memberCount: 5 },
    };
    const made = await createCommunity(t.as(user), { body });
    const found = await getCommunityById(t.as(user), { id: made.id ?? '', include: 'tpcs' });
    assert.equal(found.cashtag, '$CATS');
    assert.deepEqual(
      [found.status, found.ownerId, found.admins, found.activePlans, found.tpcs],
      ['active', user.userId, [user.userId], ['starter'], []],
    );
    assert.ok(!JSON.stringify(found).includes('DIS#USER#1"'));
  });

  it('keeps its channels, quests, drops and contact, returns them and shows them on request', async () => {
    const user = newUser();
    const carried: NewCommunity = {
      channels: [{ name: 'general', members: 3 }],
      quests: [{ id: 'q', name: 'Say hello', published: true }],
      drops: [{ title: 'Fish', reward: '5', total: 10 }],
      adminUserId: 'DIS#USER#77',
    };
    const body = { platform: 'discord', communityId: newGuild(t, user), ...carried } as const;
    await assert.rejects(
      createCommunity(t.as(user), { body: { ...body, adminUserId: 'me' } }),
      refusal('VALIDATION_FAILED'),
    );
    const made = await createCommunity(t.as(user), { body });
    const id = made.id ?? '';
    const carriedBy = ({ channels, quests, drops, adminUserId }: Community) => ({
      channels,
      quests,
      drops,
      adminUserId,
    });
    assert.deepEqual(carriedBy(made), carried);
    const shown = await getCommunityById(t.as(user), { id, include: 'channels, quests,drops' });
    assert.deepEqual(carriedBy(shown), carried);
    const bare = await getCommunityById(t.as(user), { id });
    assert.deepEqual([bare.channels, bare.quests, bare.drops], [undefined, undefined, carried.drops]);
    const [listed] = (await findCommunities(t.as(user), { include: 'quests' })).items;
    assert.deepEqual(listed?.quests, carried.quests);
  });

  it('twice is a conflict, and keeps the first owner', async () => {
    const { owner, community } = await newCommunity(t);
    const other = newUser();
    t.host.addAdmin(community.communityId ?? '', other.nativeId);
    const body = { platform: 'discord', communityId: community.communityId ?? '' } as const;
    await assert.rejects(createCommunity(t.as(other), { body }), refusal('STATE_CONFLICT'));
    assert.deepEqual((await findCommunities(t.as(other), {})).items, []);
    assert.equal((await getCommunityById(t.as(owner), { id: community.id ?? '' })).ownerId, owner.userId);
  });

  it('needs a platform and an id', async () => {
    for (const body of [{}, { platform: 'discord' as const }, { communityId: '5' }, { pk: 'DIS#USER#5' }])
      await assert.rejects(createCommunity(t.as(operator), { body }), refusal('VALIDATION_FAILED'));
    assert.equal((await createCommunity(t.as(operator), { body: { pk: 'RED#COMM#cats' } })).platform, 'reddit');
  });
});
