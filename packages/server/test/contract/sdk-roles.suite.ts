import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { contextFor, decideClientApp } from '@latchkey/core';
import { until } from '@latchkey/test-kit';
import { Webhook } from 'standardwebhooks';
import { caller } from '../harness/call-api.ts';
import { catchCalls } from '../harness/catch-calls.ts';
import { aliceId } from '../harness/identities.ts';
import { people } from '../harness/outside-world.ts';
import { aboutRoles, connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { keyRule, startInteraction } from '../harness/set-up-community.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import { turns } from './turns.ts';

/** No one has its key, and it holds nothing. */
const emptyAddress = '0x000000000000000000000000000000000000dEaD';

turns.describe('contract: sdk, roles', () => {
  let world: World;
  let asAlice: Sdk;
  let asApp: Sdk;
  let secret: string;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    world = await openWorld();
    const { server, alice } = world;
    asAlice = await connectSdk(server, { authenticatedEncryption: alice });
    const made = await caller(server, alice)('POST', '/client-apps', {
      name: 'Gate',
      webhookUrl: 'http://127.0.0.1:9/',
    });
    const scopes = ['token-gating', 'role-manager', 'discord:guild', 'discord:user', 'discord:message'];
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    await decideClientApp(operator, { id: made.id, decision: 'approve', scopes });
    secret = made.secret;
    asApp = await connectSdk(server, { apiKey: made.apiKey });
  });
  after(() => world.server.close());

  /** A member's actual roles on Discord. */
  const rolesOf = (userId: string) => [
    ...(world.outside.discord.getGuild(world.community.guildId).members.get(userId)?.roles ?? []),
  ];

  /** What an admin does manually, in Discord. */
  const takeRoles = (userId: string) => world.outside.discord.setMemberRoles(world.community.guildId, userId, []);

  test('a key on the chain grants a role, and an empty wallet does not get it', async () => {
    const rules = [keyRule(world.outside, 'keys'), { ...keyRule(world.outside, 'many'), minToken: '4' }];
    const held = await call(asApp, 'POST /access-control/check-roles', { account: people.alice.address, rules });
    assert.deepEqual(held.roles, [
      { id: 'keys', granted: true },
      { id: 'many', granted: false },
    ]);
    const empty = await call(asApp, 'POST /access-control/check-roles', { account: emptyAddress, rules });
    assert.deepEqual(
      empty.roles.map(({ granted }: { granted: boolean }) => granted),
      [false, false],
    );
  });

  test('an unreadable account is refused, and never reported as holding nothing', async () => {
    const { address } = people.alice;
    const rules = [keyRule(world.outside, 'keys')];
    const letter = [...address.slice(2)].findIndex((digit) => /[a-fA-F]/.test(digit)) + 2;
    const turned = [...address].map((digit, place) =>
      place !== letter ? digit : digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase(),
    );
    const unreadable = [
      'foo',
      '0x123',
      'vitalik.eth',
      turned.join(''),
      `solana:mainnet:${address}`,
      `nowhere:1:${address}`,
    ];
    for (const account of unreadable) {
      await assert.rejects(
        call(asApp, 'POST /access-control/check-roles', { account, rules }),
        refusedWith(422, 'VALIDATION_FAILED'),
        account,
      );
      await assert.rejects(
        caller(world.server, world.alice)('GET', `/asset-ownership/${encodeURIComponent(account)}`),
        /INVALID_PARAMETER_VALUE/,
        account,
      );
    }
    const spaced = await call(asApp, 'POST /access-control/check-roles', { account: ` ${address} `, rules });
    assert.deepEqual(spaced.roles, [{ id: 'keys', granted: true }]);
  });

  test('a rule about a contract of another standard decides nothing, and reports the actual standard', async () => {
    const { contracts } = world.outside.chain;
    const rules = [{ ...keyRule(world.outside, 'keys'), contractAddress: contracts.erc20 }];
    const { roles, errors } = await call(asApp, 'POST /access-control/check-roles', {
      account: people.alice.address,
      rules,
    });
    assert.deepEqual(roles, []);
    assert.match(errors[0].message, /is an ERC20 token, not an ERC721 collection/);
    await assert.rejects(
      caller(world.server, world.alice)(
        'POST',
        `/communities/${encodeURIComponent(world.community.id)}/tpcs`,
        rules[0],
      ),
      /implements ERC20, not ERC721/,
    );
  });

  test('an async result is sent with a valid signature, and can be read', async () => {
    await using receiver = await catchCalls();
    const { requestId, roles } = await call(asApp, 'POST /access-control/check-roles', {
      account: people.alice.address,
      rules: [keyRule(world.outside, 'keys')],
      callbackUrl: receiver.url,
    });
    assert.equal(roles, undefined);
    const { headers, body } = await receiver.next();
    assert.equal(headers['x-collabland-signature'], createHmac('sha256', secret).update(body).digest('hex'));
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), {
      requestId,
      roles: [{ id: 'keys', granted: true }],
      errors: [],
    });
    const read = await call(asApp, 'GET /access-control/check-roles/responses/{requestId}', requestId);
    assert.deepEqual(read, JSON.parse(body));
    await assert.rejects(
      call(asAlice, 'GET /access-control/check-roles/responses/{requestId}', requestId),
      refusedWith(404, 'ENTITY_NOT_FOUND'),
    );
  });

  test('the roles a member qualifies for are returned, compared and applied', async () => {
    const { id, guildId, roleId } = world.community;
    const { userId } = people.alice;
    const deserved = await call(asApp, 'GET /access-control/{communityId}/{userId}/roles', id, userId);
    assert.deepEqual(deserved.roles, [{ id: roleId, granted: true }]);
    const request = { communityId: id, userId: aliceId };
    const isRight = async () =>
      (await call(asApp, 'POST /role-manager/check-user-roles', request)).results[0].consistent;
    assert.equal(await isRight(), true);

    takeRoles(userId);
    const { results } = await call(asAlice, 'GET /role-manager/roles', id, userId);
    assert.equal(results[0].consistent, false);
    assert.deepEqual(results[0].roles, [{ id: roleId, name: 'Key holder', current: false, expected: true }]);
    const all = await call(asAlice, 'POST /role-manager/check-community-roles', { communityId: guildId });
    assert.deepEqual(all.results.map((result: { user: { userId: string } }) => result.user.userId).sort(), [
      aliceId,
      `DIS#USER#${people.bob.userId}`,
    ]);
    assert.deepEqual(rolesOf(userId), []);
    const applied = await call(asApp, 'POST /role-manager/roles', id, userId);
    assert.deepEqual(applied, { userId: aliceId, roles: [{ communityId: guildId, roles: [roleId] }] });
    assert.deepEqual(rolesOf(userId), [roleId]);

    takeRoles(userId);
    const scheduled = await call(asAlice, 'POST /role-manager/schedule', { communityId: id, userId: '*', delay: 0 });
    assert.ok(Date.parse(scheduled.dueAt) <= Date.now());
    await until('the role is back', () => rolesOf(userId).includes(roleId));
    assert.equal(await isRight(), true);
  });

  test('a guild is shown as Discord has it', async () => {
    const { guildId, roleId, channelId } = world.community;
    const names = (items: { name: string }[]) => items.map(({ name }) => name);
    const guild = await call(asApp, 'GET /discord/guilds/{guildId}', guildId);
    assert.deepEqual([guild.id, names(guild.channels), guild.memberCount], [guildId, ['general'], 3]);
    assert.equal((await call(asApp, 'GET /discord/guilds/{guildId}/memberCount', guildId)).memberCount, 3);
    const roles = await call(asApp, 'GET /discord/{guildId}/roles', guildId);
    assert.deepEqual(roles[0].permissions.includes('ManageRoles'), true);
    assert.ok(names(roles).includes('Key holder'));
    const channels = await call(asApp, 'GET /discord/{id}/channels', guildId);
    assert.deepEqual(names(channels.items), ['general']);
    const members = await call(asApp, 'GET /discord/{guildId}/members', guildId, 2);
    assert.deepEqual(
      members.map((member: { user: { id: string } }) => member.user.id),
      [people.alice.userId, people.bob.userId],
    );
    const later = await call(asApp, 'GET /discord/{guildId}/members', guildId, 10, undefined, people.alice.userId);
    assert.equal(later[0].user.id, people.bob.userId);
    const member = await call(asApp, 'GET /discord/{guildId}/member/{memberId}', guildId, people.bob.userId);
    assert.deepEqual([member.user.username, member.roles], [people.bob.name, []]);
    const [active] = await call(asApp, 'GET /discord/{guildId}/members/active', guildId, 10);
    assert.equal(active.sk, `ACTIVE_MEMBER#${aliceId}`);

    const own = await call(asAlice, 'GET /discord/users/@me/guilds/members');
    assert.deepEqual(
      own.map((membership: { guild_id: string }) => membership.guild_id),
      [guildId],
    );
    const [community] = await call(asAlice, 'GET /discord/communities');
    assert.deepEqual([community.communityId, community.isAdmin], [guildId, true]);
    const bot = await call(asAlice, 'GET /discord/bot-validation/{communityId}', guildId);
    assert.ok(
      bot.errors.every(({ code }: { code: string }) => code === 'CHANNEL_MISSING'),
      JSON.stringify(bot),
    );

    const role = await call(asAlice, 'POST /discord/guilds/{guildId}/roles', guildId, {
      name: 'Red',
      color: '#ff0000',
    });
    assert.deepEqual([world.outside.discord.getGuild(guildId).roles.get(role.id)?.name, role.color], ['Red', 0xff0000]);
    const content = 'Keys open doors.';
    const messageId = await call(asApp, 'POST /discord/{guildId}/channels/{channelId}/message', guildId, channelId, {
      content,
    });
    const sent = world.outside.discord.sentMessages(channelId).find((message) => message.id === messageId);
    assert.equal(sent?.content, content);

    const body = { name: 'Speaker', roleSet: [{ id: roleId }], period: 3600 };
    const pass = await call(asAlice, 'POST /discord/{guildId}/guest-passes', guildId, body);
    assert.deepEqual([pass.name, pass.period, pass.roleSet], ['Speaker', 3600, [{ id: roleId }]]);
    const ids = async () =>
      (await call(asAlice, 'GET /discord/{guildId}/guest-passes', guildId)).map((one: { id: string }) => one.id);
    assert.deepEqual(await ids(), [world.community.passId, pass.id]);
    assert.equal(await call(asAlice, 'DELETE /discord/{guildId}/guest-passes/{passId}', guildId, pass.id), undefined);
    assert.deepEqual(await ids(), [world.community.passId]);
  });

  test('the recipient of an interaction continues it without a credential', async () => {
    const { server, outside, community } = world;
    const { interactionId } = await startInteraction(server, outside, people.alice, community);
    const asNobody = await connectSdk(server, {});
    const message = '/discord/webhooks/{interactionId}/messages/{messageId}';
    const { id } = await call(asNobody, 'POST /discord/webhooks/{interactionId}', interactionId, { content: 'One.' });
    const edited = await call(asNobody, `PATCH ${message}`, interactionId, id, { content: 'Two.' });
    assert.deepEqual([edited.id, edited.content], [id, 'Two.']);
    assert.equal((await call(asNobody, `GET ${message}`, interactionId, id)).content, 'Two.');
    const original = await call(asNobody, `PATCH ${message}`, interactionId, '@original', { content: 'First.' });
    assert.equal(original.content, 'First.');
    assert.equal(await call(asNobody, `DELETE ${message}`, interactionId, id), undefined);
    await assert.rejects(call(asNobody, `GET ${message}`, interactionId, id), refusedWith(404, 'ENTITY_NOT_FOUND'));
  });

  test('a subreddit is linked with a moderator’s token, checked with Reddit, and unlinked', async () => {
    const { subreddit, subredditId } = world.community;
    const { reddit } = world.outside;
    const [listed] = await call(asAlice, 'GET /reddit/administrated-communities');
    assert.deepEqual([listed.id, listed.communityId, listed.isLinked], [subredditId, subreddit, true]);
    const status = async () =>
      (await call(asAlice, 'GET /reddit/is-community-config-set', subreddit)).botTokenStatus as string;
    assert.equal(await status(), 'valid');
    assert.equal(await call(asAlice, 'GET /reddit/unlink-token', subreddit), undefined);
    assert.equal(await status(), 'missing');
    const botToken = reddit.tokens.grant(people.alice.name, ['*']);
    const linked = await call(asAlice, 'POST /reddit/community', { communityName: subreddit, botToken });
    assert.deepEqual(linked, { clientId: reddit.clientId, communityName: subreddit });
    assert.equal(await status(), 'valid');
    reddit.world.subreddit(subreddit)?.moderators.clear();
    assert.equal(await status(), 'invalid');

    const session = await call(asAlice, 'POST /reddit/wallet-connection-sessions');
    const { json } = await world.server.request('GET', `/states/${session.slug}`);
    const inSession = caller(world.server, `AE ${json.token}`);
    const { items } = await inSession('GET', '/account/wallets');
    assert.equal(items[0].address, people.alice.address);
    assert.deepEqual(items, (await caller(world.server, world.alice)('GET', '/account/wallets')).items);
    await assert.rejects(inSession('GET', '/communities'), /SCOPE_NOT_ALLOWED/);
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutRoles.includes(name)),
      [],
    );
  });
});
