import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { userKey } from '@latchkey/core';
import { bound, until } from '@latchkey/test-kit';
import { listenOutside } from '../../src/run/listen.ts';
import {
  fillGuild,
  type GatedGuild,
  type GatedWorld,
  gateGuild,
  holdersOf,
  keyRule,
  startGatedWorld,
} from '../harness/gated-world.ts';
import { moveKey, takeOver } from '../harness/move-tokens.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { getTokens, isActive, post } from '../oauth/flow.ts';
import { registerClient, type SampleClient } from '../oauth/sample-client.ts';

const promisedMs = 2_000;

describe('a token that vouches for what a user owns', () => {
  const addresses = someAddresses(3);
  const [alice = '0x', bob = '0x', carol = '0x'] = addresses;
  let world: GatedWorld;
  let server: TestServer;
  let guild: GatedGuild;
  let client: SampleClient;
  const ends: (() => Promise<unknown>)[] = [];

  before(async () => {
    world = await startGatedWorld();
    ends.push(async () => world[Symbol.asyncDispose]());
    await takeOver(world.chain, addresses);
    await world.chain.mintKeys([alice, bob]);
    const settings = { LATCHKEY_FOLLOW_DEPTH: '0', LATCHKEY_FOLLOW_PAUSE_MS: '200' };
    server = await startTestServer({ ...world.environment, ...settings });
    ends.unshift(() => server.close());
    guild = fillGuild(world.discord, addresses);
    await gateGuild(server.services, guild, [keyRule(world.chain, guild.roleIds[0] ?? '')]);
    const listening = listenOutside(server.services, server.config);
    ends.unshift(listening.stop);
    client = await registerClient(server);
    await until('both have their role', () => holdersOf(world.discord, guild, guild.roleIds[0] ?? '').length === 2);
    // Discord has the roles before the server has recorded that it granted them.
    await server.worker.idle();
  });
  after(async () => {
    for (const end of ends) await end();
  });

  async function logIn(address: string, claim: 'roles' | 'holdings') {
    const member = guild.members.find((one) => one.address === address);
    const person = { userId: userKey('discord', member?.userId ?? ''), platform: 'discord', name: address };
    const fields = { scope: `openid ${claim}:${guild.communityId}` };
    return getTokens(server, client, { person, fields });
  }

  async function claimsIn(accessToken: string): Promise<Record<string, Record<string, string[]>>> {
    const { json } = await post(server, client, '/oauth2/introspect', { token: accessToken });
    return { roles: json.roles, holdings: json.holdings };
  }

  test('becomes inactive with the transfer, and no one else’s does', async (t) => {
    const [roles, holdings, ofBob] = await Promise.all([
      logIn(alice, 'roles'),
      logIn(alice, 'holdings'),
      logIn(bob, 'holdings'),
    ]);
    const { communityId, roleIds } = guild;
    assert.deepEqual((await claimsIn(roles.access_token)).roles, { [communityId]: roleIds });
    const [ruleId = ''] = (await claimsIn(holdings.access_token)).holdings?.[communityId] ?? [];
    assert.match(ruleId, /^TPC#/);
    const tokens = { roles: roles.access_token, holdings: holdings.access_token };
    for (const token of Object.values(tokens)) assert.equal(await isActive(server, client, token), true);

    const startedAt = performance.now();
    const tookMs: Record<string, number> = {};
    await moveKey(world.chain, 1, alice, carol);
    await Promise.all(
      Object.entries(tokens).map(async ([claim, token]) => {
        await until(`the token for ${claim} is inactive`, async () => !(await isActive(server, client, token)));
        tookMs[claim] = performance.now() - startedAt;
      }),
    );
    for (const [claim, ms] of Object.entries(tookMs))
      await bound(t, `from the transfer until a token for ${claim} was inactive`, ms, promisedMs);
    assert.equal(await isActive(server, client, ofBob.access_token), true);
    for (const token of Object.values(tokens)) {
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await server.request('GET', '/oauth2/userinfo', { headers })).status, 401);
      assert.equal((await server.request('GET', '/account/me', { headers })).status, 401);
    }
    // The login itself continues; only its claims have changed.
    const refresh = { grant_type: 'refresh_token', refresh_token: holdings.refresh_token };
    const { json } = await post(server, client, '/oauth2/token', refresh);
    assert.equal(await isActive(server, client, json.access_token), true);
    assert.deepEqual((await claimsIn(json.access_token)).holdings, { [communityId]: [] });
  });
});
