import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contextFor, issueAeToken } from '@latchkey/core';
import { until } from '@latchkey/test-kit';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { aliceId, malloryId } from '../harness/identities.ts';
import { people } from '../harness/outside-world.ts';
import { aboutCommunities, connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { keyAsset, keyRule, makeGuild, miniAppId, supportUrl } from '../harness/set-up-community.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import { turns } from './turns.ts';

const bobId = `DIS#USER#${people.bob.userId}`;
const today = () => new Date().toISOString().slice(0, 10);

turns.describe('contract: sdk, communities and accounts', () => {
  let openedOn: string;
  let world: World;
  let asAlice: Sdk;
  let asMallory: Sdk;
  let asOperator: Sdk;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    openedOn = today();
    world = await openWorld();
    asAlice = await connectSdk(world.server, { authenticatedEncryption: world.alice });
    asMallory = await connectSdk(world.server, { authenticatedEncryption: world.mallory });
    asOperator = await connectSdk(world.server, { apiKey: world.server.adminKey });
  });
  after(() => world.server.close());

  /** A member's actual roles on Discord. */
  const rolesOf = (userId: string) => [
    ...(world.outside.discord.getGuild(world.community.guildId).members.get(userId)?.roles ?? []),
  ];

  async function link(sdk: Sdk, chainId: string) {
    const { message } = await call(sdk, 'GET /account/auth-message');
    const { address, sign } = people.bob;
    const body = { chainId, address, message, signedMessage: await sign(message) };
    return { message, linked: await call(sdk, 'POST /account/wallet-address', body) };
  }

  test('a wallet that signed is linked, grants its owner a role on Discord, and removes it when unlinked', async () => {
    const { server, community, outside } = world;
    const asBob = await connectSdk(server, { authenticatedEncryption: await server.aeToken(bobId) });
    assert.deepEqual(rolesOf(people.bob.userId), []);
    const { message, linked } = await link(asBob, `evm:${outside.chain.chainId}`);
    assert.match(message, new RegExp(`Account: ${bobId}`));
    assert.deepEqual(linked, {
      address: people.bob.address,
      accounts: [{ chainId: `evm:${outside.chain.chainId}`, balance: '1' }],
    });
    await until('the role is there', () => rolesOf(people.bob.userId).includes(community.roleId));
    const me = await call(asBob, 'GET /account/me');
    assert.deepEqual([me.id, me.platform], [bobId, 'discord']);
    const wallets = await call(asBob, 'GET /account/wallets', 10);
    assert.deepEqual(
      wallets.items.map((wallet: { address: string }) => wallet.address),
      [people.bob.address],
    );

    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    const person = { userId: 'TEL#USER#7', platform: 'telegram', scopes: ['$all'], ttlSeconds: 600 };
    const same = { ...person, credential: 'chat-session' as const };
    const asSame = await connectSdk(server, { authenticatedEncryption: `AE ${await issueAeToken(operator, same)}` });
    await link(asSame, '1');
    assert.deepEqual(await call(asBob, 'GET /account/linked-users'), { items: ['TEL#USER#7'] });

    const withInvites = String(
      world.samples['POST /latchkey/account/communities/{communityId}/role-invite communityId'],
    );
    const joined = await call(asBob, 'GET /account/communities');
    assert.deepEqual(
      joined.items.map(({ id }: { id: string }) => id),
      [community.id, world.foreign.id, withInvites].sort(),
    );
    assert.deepEqual((await call(asBob, 'GET /account/administrated-communities')).items, []);
    const own = await call(asAlice, 'GET /account/administrated-communities', true);
    assert.ok(own.items.some(({ id }: { id: string }) => id === community.id));

    assert.equal(await call(asBob, 'DELETE /account/wallets/{address}', people.bob.address.toLowerCase()), undefined);
    await until('the role is gone', () => !rolesOf(people.bob.userId).includes(community.roleId));
    await link(asBob, '1');
    assert.equal((await call(asBob, 'GET /account/wallets')).items.length, 1);
    assert.equal(await call(asBob, 'DELETE /account/wallets'), undefined);
    assert.deepEqual((await call(asBob, 'GET /account/wallets')).items, []);
  });

  test('a community is added, changed, gets rules and admins, and is removed', async () => {
    const { guildId, roleId } = makeGuild(world.outside, people.alice);
    const body = { platform: 'discord', communityId: guildId, name: 'Dogs', welcomeMessage: 'Woof.' };
    const made = await call(asAlice, 'POST /communities', body);
    const { id } = made;
    assert.deepEqual(
      [id, made.name, made.ownerId, made.admins, made.status, made.activePlans],
      [`DIS#COMM#${guildId}`, 'Dogs', aliceId, [aliceId], 'active', ['starter']],
    );
    await assert.rejects(call(asMallory, 'POST /communities', body), refusedWith(403, 'ROLE_NOT_ALLOWED'));

    const rule = await call(asAlice, 'POST /communities/{id}/tpcs', id, keyRule(world.outside, roleId));
    const twice = await call(asAlice, 'POST /communities/{id}/tpcs', id, keyRule(world.outside, roleId));
    assert.match(twice.warnings.join(), /already has a rule with the same conditions and role: “Key holders”/);
    assert.equal(await call(asAlice, 'DELETE /communities/{id}/tpcs/{tpcId}', id, twice.sk), undefined);
    assert.equal((await call(asAlice, 'GET /communities/{id}/tpcs', id, 10)).items[0].name, 'Key holders');
    const changed = { ...keyRule(world.outside, roleId), name: 'Many keys', minToken: '2' };
    assert.equal(await call(asAlice, 'PUT /communities/{id}/tpcs/{tpcId}', id, rule.sk, changed), undefined);
    const { items } = await call(asAlice, 'GET /communities/{id}/tpcs', id, 10);
    assert.deepEqual(
      items.map((item: Record<string, unknown>) => [item.id, item.name, item.minToken, item.roleId]),
      [[rule.id, 'Many keys', '2', roleId]],
    );
    for (const route of ['GET /communities/{id}/tgr', 'GET /communities/{id}/tgrs']) {
      const [shown] = (await call(asAlice, route, id)).items;
      assert.deepEqual([shown.roleName, shown.roleColor], ['Key holder', 0x1a7f37]);
    }
    await assert.rejects(call(asMallory, 'GET /communities/{id}/tpcs', id), refusedWith(404, 'ENTITY_NOT_FOUND'));
    assert.equal(await call(asAlice, 'PATCH /communities/{id}/admins', id, [aliceId, malloryId]), undefined);
    assert.equal((await call(asMallory, 'GET /communities/{id}/tpcs', id)).items.length, 1);
    assert.equal((await call(asAlice, 'GET /communities/{id}/tpcs', id)).items.length, 1);
    assert.equal(await call(asMallory, 'DELETE /communities/{id}/tpcs/{tpcId}', id, rule.sk), undefined);
    assert.deepEqual((await call(asAlice, 'GET /communities/{id}/tpcs', id)).items, []);

    const nameOf = async () => (await call(asAlice, 'GET /communities/{id}', id)).name;
    assert.equal(await nameOf(), 'Dogs');
    assert.equal(await call(asOperator, 'PATCH /communities/{id}', id, { name: 'Good dogs' }), undefined);
    assert.equal(await nameOf(), 'Good dogs');
    const read = await call(asAlice, 'GET /communities/{id}', id, 'tpcs,channels');
    assert.deepEqual([read.name, read.welcomeMessage, read.tpcs, read.channels], ['Good dogs', 'Woof.', [], []]);
    assert.equal(await call(asOperator, 'PUT /communities/{id}', id, { name: 'Dogs again' }), undefined);
    assert.equal(await nameOf(), 'Dogs again');
    const listed = await call(asAlice, 'GET /communities', 100, undefined, 'tpcs');
    const replaced = listed.items.find((community: { id: string }) => community.id === id);
    assert.deepEqual([replaced.name, replaced.welcomeMessage, replaced.tpcs], ['Dogs again', undefined, []]);
    assert.equal(await call(asOperator, 'DELETE /communities/{id}', id), undefined);
    await assert.rejects(call(asAlice, 'GET /communities/{id}', id), refusedWith(404, 'ENTITY_NOT_FOUND'));
  });

  test('a community has subscription plans, statistics, a wallet and mini-apps', async () => {
    const { id } = world.community;
    const plans = await call(asAlice, 'GET /communities/plans');
    assert.deepEqual(plans.map(({ sk }: { sk: string }) => sk).sort(), ['PLAN#community', 'PLAN#starter']);
    assert.equal((await call(asAlice, 'GET /communities/plans/{planId}', 'starter')).name, 'Starter');
    assert.equal((await call(asAlice, 'GET /communities/{communityId}/subscriptions', id)).length, 2);
    assert.deepEqual(await call(asAlice, 'GET /communities/{id}/premium-support', id), { url: supportUrl });
    const stats = await call(asAlice, 'GET /communities/{id}/stats', id);
    assert.deepEqual([stats.memberCount, stats.messagesInLastDay], [2, 3]);

    const wallet = await call(asAlice, 'GET /communities/{communityId}/wallet', id);
    assert.match(wallet.address, /^0x[0-9a-fA-F]{40}$/);
    assert.deepEqual(await call(asAlice, 'PUT /communities/{communityId}/wallet', id), wallet);

    const settings = { colour: 'blue' };
    const bare = await call(asAlice, 'POST /communities/{communityId}/apps/{appId}', id, miniAppId);
    assert.deepEqual([bare.appId, bare.version.name], [miniAppId, '1.2.3']);
    const again = await call(asAlice, 'POST /communities/{communityId}/apps/{appId}', id, miniAppId, settings);
    assert.deepEqual(again, bare);
    assert.equal(await call(asAlice, 'DELETE /communities/{communityId}/apps/{appId}', id, miniAppId), undefined);
    await assert.rejects(
      call(asAlice, 'DELETE /communities/{communityId}/apps/{appId}', id, miniAppId),
      refusedWith(404, 'ENTITY_NOT_FOUND'),
    );
  });

  test('actual activity in a community is counted', async () => {
    const { id, roleId } = world.community;
    const role = { id: roleId, name: 'Key holder', color: 7 };
    const [pie] = await call(asAlice, 'POST /analytics/{communityId}/role-distribution', id, '7d', [role]);
    assert.ok(pie.count >= 1 && pie.added >= 1, JSON.stringify(pie));
    assert.deepEqual([pie.id, pie.name, pie.color], [roleId, 'Key holder', 7]);
    const added = await call(asAlice, 'POST /analytics/{communityId}/roles-added', id, '7d', [role]);
    // Two if midnight passed in between.
    const days = [...new Set([openedOn, today()])];
    assert.ok(added.length >= 1 && added.length <= days.length, JSON.stringify(added));
    for (const one of added) assert.ok(one.id === roleId && days.includes(one.date), JSON.stringify(one));
    const [messages, ...others] = await call(asAlice, 'GET /analytics/{communityId}/user-interactions', id, 'all');
    assert.ok(days.includes(messages.date), messages.date);
    assert.deepEqual([messages, others], [{ date: messages.date, kind: 'message', count: 3 }, []]);
    const [wallets] = await call(asAlice, 'GET /analytics/{communityId}/wallet-connections', id, '30d');
    assert.ok(days.includes(wallets.date), wallets.date);
    assert.equal(wallets.namespace, 'evm');
    assert.ok(wallets.count >= 1 && wallets.total >= wallets.count);
  });

  test('an account’s holdings are read from the chain, claimed, and checked by anyone', async () => {
    const { outside, server } = world;
    const account = `evm:${outside.chain.chainId}:${people.alice.address}`;
    const asset = keyAsset(outside);
    const coin = `evm:${outside.chain.chainId}/native:currency`;
    const [keys, coins] = await call(asAlice, 'GET /asset-list/{account}', account, [asset, coin]);
    assert.deepEqual([keys.asset, keys.balance, keys.tokens.length], [asset, '3', 3]);
    assert.equal(coins.balance, '1');
    const held = await call(asAlice, 'GET /asset-ownership/{account}', account, [asset]);
    assert.deepEqual(held, { assets: [{ asset, owner: true }] });

    const jwt = await call(asAlice, 'POST /asset-verification', 'jwt', { assets: [asset], socialId: '@alice' });
    assert.deepEqual([decodeJwt(jwt.token).sub, decodeJwt(jwt.token).socialId], [aliceId, '@alice']);
    const ae = await call(asAlice, 'POST /asset-verification', 'ae', { assets: [asset] });
    assert.throws(() => decodeJwt(ae.token));
    const keySet = createRemoteJWKSet(new URL('/.well-known/jwks.json', server.url));
    for (const { token } of [jwt, ae]) {
      const checked = await call(asOperator, 'GET /asset-verification/{token}', token);
      assert.deepEqual(checked.assets, [{ asset, owner: true }]);
      assert.equal(checked.claim.userId, aliceId);
      const { payload } = await jwtVerify(checked.signature, keySet, { issuer: server.url });
      assert.deepEqual(payload.assets, checked.assets);
    }
    assert.equal(jwt.url, `${server.url}/slugs/${jwt.slug}`);
    const followed = (await (await fetch(jwt.url)).json()) as { assets: unknown };
    assert.deepEqual(followed.assets, [{ asset, owner: true }]);
  });

  test('chains, tokens and contracts are listed', async () => {
    const { chainId, contracts } = world.outside.chain;
    const networks = await call(asAlice, 'GET /evm/network-configs');
    const { hidden, rpcs } = networks.find((network: { chainId: number }) => network.chainId === chainId);
    assert.deepEqual([hidden, rpcs], [false, ['https://node.example']], 'the server’s node is not shown');
    const tokens = await call(asAlice, 'GET /evm/{network}/tokens', String(chainId));
    const key = tokens.find(({ address }: { address: string }) => address === contracts.erc721.toLowerCase());
    assert.deepEqual([key.tokenName, key.tokenSymbol, key.tokenType], ['Sample Key', 'KEY', 'ERC721']);
    const traits = await call(
      asAlice,
      'GET /ethereum-nfts/{address}/attributes',
      contracts.erc721.toLowerCase(),
      String(chainId),
    );
    const metal = traits.find(({ type }: { type: string }) => type === 'Metal');
    assert.deepEqual(metal.values, ['Bronze', 'Gold', 'Iron', 'Silver']);
    assert.ok(Object.keys(await call(asAlice, 'GET /flow/contracts')).length > 0);
    const chosen = { selectedWallet: people.alice.address, network: 'polygon' };
    const venly = await call(asAlice, 'POST /evm/venly/callback', chosen);
    assert.deepEqual([venly.code, venly.address], ['SIGNATURE_REQUIRED', people.alice.address]);
    assert.match(venly.message, new RegExp(people.alice.address));
    assert.ok(Array.isArray(await call(asAlice, 'GET /staking-contracts')));
    const rules = await call(asAlice, 'GET /axie-infinity/rules');
    assert.ok(rules.length > 0 && rules.every((rule: { type?: string; asset?: string }) => rule.type ?? rule.asset));
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutCommunities.includes(name)),
      [],
    );
  });
});
