import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { takeDiscordEvent } from '@latchkey/core';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { until } from '@latchkey/test-kit';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** The complete server with its worker, with the Discord emulator. */
describe('admins of a community', () => {
  let server: TestServer;
  let discord: DiscordEmulator;
  before(async () => {
    discord = await startDiscordEmulator({ seed: 'who-rules', answerWithinMs: 120_000 });
    server = await startTestServer({
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_API_URL: discord.url,
      // Nothing listens there, which refuses no rule.
      LATCHKEY_EVM_RPC_URLS: '1=http://127.0.0.1:9',
    });
  });
  after(async () => {
    await server?.close();
    await discord?.stop();
  });

  /** Creates a guild, a user with Manage Server who added it, and what both can request. */
  async function settle() {
    const guild = discord.createGuild({ name: 'Cats' });
    const staffRole = discord.createRole(guild.id, { name: 'Staff', permissions: ['MANAGE_GUILD'] }).id;
    const staffId = discord.addMember(guild.id, { roles: [staffRole] }).user.id;
    const [staff, owner] = [
      await server.aeToken(`DIS#USER#${staffId}`),
      await server.aeToken(`DIS#USER#${guild.ownerId}`),
    ];
    const call = (authorization: string, method: string, path: string, json?: unknown, headers = {}) =>
      server.request(method, path, { headers: { authorization, ...headers }, ...(json !== undefined && { json }) });
    const added = await call(staff, 'POST', '/communities', { platform: 'discord', communityId: guild.id });
    assert.equal(added.status, 200);
    const rules = `/communities/${encodeURIComponent(added.json.id)}/tpcs`;
    const contractAddress = `0x${'a'.repeat(40)}`;
    const ruleOf = (roleId: string) => ({ type: 'ERC20', chainId: 1, contractAddress, minToken: '1', roleId });
    const mine = async (authorization: string, query = '') =>
      (await call(authorization, 'GET', `/account/administrated-communities${query}`)).json.items.map(
        (community: { id: string }) => community.id,
      );
    return { guild, staffRole, staffId, staff, owner, call, rules, ruleOf, mine, id: added.json.id as string };
  }

  test('a rule with a powerful role is refused by name, with and without an Idempotency-Key', async () => {
    const { guild, staff, call, rules, ruleOf } = await settle();
    const mods = discord.createRole(guild.id, { name: 'Mods', permissions: ['BAN_MEMBERS', 'MANAGE_ROLES'] }).id;
    const plain = discord.createRole(guild.id, { name: 'Holder' }).id;
    for (const headers of [{}, { 'idempotency-key': 'once' }]) {
      const refused = await call(staff, 'POST', rules, ruleOf(mods), headers);
      assert.deepEqual([refused.status, refused.json.error.code], [422, 'VALIDATION_FAILED']);
      assert.match(refused.json.error.message, /The role "Mods" has Ban Members, Manage Roles/);
    }
    const made = await call(staff, 'POST', rules, ruleOf(plain), { 'idempotency-key': 'twice' });
    assert.equal(made.status, 200);
    const path = `${rules}/${encodeURIComponent(made.json.sk)}`;
    assert.equal((await call(staff, 'PUT', path, ruleOf(mods))).status, 422);
    assert.equal((await call(staff, 'PUT', path, ruleOf(plain))).status, 204);
    const pass = { name: 'Guest', roleSet: [{ id: mods }] };
    assert.equal((await call(staff, 'POST', `/discord/${guild.id}/guest-passes`, pass)).status, 422);
  });

  test('an admin demoted on Discord cannot change a rule at that moment, and the server’s owner can', async () => {
    const { guild, staffId, staff, owner, call, rules, ruleOf, mine, id } = await settle();
    const plain = discord.createRole(guild.id, { name: 'Holder' }).id;
    assert.deepEqual(await mine(owner), []);
    // No gateway event reports it: only asking Discord does.
    const member = discord.getGuild(guild.id).members.get(staffId);
    assert.ok(member);
    member.roles = new Set();
    const refused = await call(staff, 'POST', rules, ruleOf(plain));
    assert.deepEqual([refused.status, refused.json.error.code], [403, 'ROLE_NOT_ALLOWED']);
    assert.match(refused.json.error.message, /no longer manage this community on Discord/);
    assert.equal((await call(staff, 'POST', rules, ruleOf(plain))).status, 404);
    assert.deepEqual([await mine(staff), await mine(owner)], [[], [id]]);
    assert.equal((await call(owner, 'POST', rules, ruleOf(plain))).status, 200);
  });

  test('a Discord event is enough, and reload restores a reinstated admin', async () => {
    const { guild, staffId, staffRole, staff, mine, id } = await settle();
    const { services } = server;
    discord.setPermissions(guild.id, staffRole, ['VIEW_CHANNEL']);
    await takeDiscordEvent(services, { kind: 'role-updated', guildId: guild.id, roleId: staffRole });
    await until('the worker has asked Discord', async () => (await mine(staff)).length === 0);
    discord.setPermissions(guild.id, staffRole, ['MANAGE_GUILD']);
    const joined = { kind: 'member-joined', guildId: guild.id, userId: staffId, userName: 'ada' } as const;
    await takeDiscordEvent(services, { ...joined, roleIds: [staffRole], isBot: false });
    assert.deepEqual(await mine(staff), []);
    assert.deepEqual(await mine(staff, '?reload=true'), [id]);
    assert.deepEqual(await mine(staff), [id]);
  });

  test('while Discord is down the last confirmation counts, and after a day changes wait', async () => {
    const { guild, staff, call, rules, ruleOf, id, mine } = await settle();
    const plain = discord.createRole(guild.id, { name: 'Holder' }).id;
    const end = discord.misbehave({ kind: 'error', status: 503 });
    assert.equal((await call(staff, 'POST', rules, ruleOf('1001'))).status, 200);
    await server.services.db.system
      .updateTable('community_admins')
      .set({ confirmed_at: new Date(Date.now() - 25 * 60 * 60 * 1000) })
      .where('community_id', '=', id)
      .execute();
    const waiting = await call(staff, 'POST', rules, ruleOf(plain));
    assert.deepEqual([waiting.status, waiting.json.error.code], [503, 'UNAVAILABLE']);
    assert.ok(Number(waiting.headers.get('retry-after')) > 0);
    assert.match(waiting.json.error.message, /Discord cannot confirm/);
    assert.equal((await call(staff, 'GET', rules)).status, 200);
    assert.deepEqual(await mine(staff, '?reload=true'), [id]);
    end();
    await until('Discord is asked again', async () => (await call(staff, 'POST', rules, ruleOf(plain))).status === 200);
  });
});
