import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { createDiscord } from '@latchkey/platforms/discord';
import { erc20Rule, type Guild, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { disconnectLinkedRoles, revokeEnded } from './end-connection.ts';
import { linkedRolesErasure } from './index.ts';
import { findDue, updateValues } from './jobs.ts';
import {
  beginConnecting,
  finishConnecting,
  getLinkedRoles,
  getRegistration,
  linkedRolesPage,
  registerLinkedRoles,
} from './operations.ts';

const wide = { limit: 1_000_000, windowSeconds: 1 };

describe('linked roles', () => {
  let t: TestPlatform;
  let emulator: DiscordEmulator;
  let guild: Guild;
  before(async () => {
    t = await testPlatform('linked-roles');
    const redirectUri = linkedRolesPage(t.services);
    emulator = await startDiscordEmulator({
      clock: () => t.services.clock().getTime(),
      application: { redirectUris: [redirectUri] },
      limits: { globalPerSecond: 1_000_000, buckets: { other: wide, 'role-connection': wide } },
    });
    const { id: clientId, clientSecret, token } = emulator.application;
    const { linkedRoles } = createDiscord({
      fetch,
      token,
      apiUrl: emulator.url,
      timeoutMs: 120_000,
      application: { clientId, clientSecret },
    });
    t.services.linkedRoles = linkedRoles;
    guild = await setUpGuild(t, { members: 9, rules: [erc20Rule('gold'), erc20Rule('whale', '100')] });
    for (let member = 0; member < 9; member += 1) emulator.createUser(`member${member}`, guild.nativeIdOf(member));
    await registerLinkedRoles(t.as(operator));
  });
  beforeEach(() => emulator.behave());
  after(async () => {
    await emulator.stop();
    await t.close();
  });

  const actorOf = (member: number): Actor => ({
    kind: 'user',
    userId: guild.idOf(member),
    platform: 'discord',
    scopes: ['$all'],
    credential: 'wallet-session',
  });
  const ctxOf = (member: number) => t.as(actorOf(member));
  const refusal =
    (code: ErrorCode, message = /./) =>
    (error: unknown) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    };
  /** Authorizes the connection on Discord as one of the members, and follows the redirect back. */
  const allow = async (member: number, as = member) => {
    const { url, state } = await beginConnecting(ctxOf(member));
    const request = new URL(url).searchParams;
    const back = emulator.approveLogin(guild.nativeIdOf(as), {
      clientId: request.get('client_id') ?? '',
      redirectUri: request.get('redirect_uri') ?? '',
      scope: request.get('scope') ?? '',
      codeChallenge: request.get('code_challenge') ?? '',
    });
    return { body: { state, code: new URL(back).searchParams.get('code') ?? '' } };
  };
  const connect = async (member: number) => finishConnecting(ctxOf(member), await allow(member));
  const update = (member: number) => updateValues(t.services, guild.idOf(member));
  const toldOf = (member: number) => emulator.application.roleConnections.get(guild.nativeIdOf(member))?.metadata;
  const query = async (text: string, values: unknown[] = []) => (await t.services.db.pool.query(text, values)).rows;
  /** The users the schedule queues for an update; removes those jobs. */
  const dueNow = async () => {
    await findDue(t.services);
    const rows = await query(`delete from jobs where name = 'linked-roles.update' returning payload`);
    return rows.map(({ payload }) => String(payload.userId)).sort();
  };
  const endings = () => query('select id, user_id from role_connection_endings');
  const revoke = async () => {
    for (const { id } of await endings()) await revokeEnded(t.services, id);
  };

  it('are registered with Discord: values, and the page where members connect', async () => {
    assert.equal((await getRegistration(t.services)).state, 'registered');
    assert.equal(emulator.application.roleConnectionsUrl, 'http://latchkey.test/console/me/linked-roles');
    assert.equal(emulator.application.roleConnectionRecords.length, 4);
    emulator.application.roleConnectionsUrl = 'https://elsewhere.example/';
    assert.equal((await getRegistration(t.services)).state, 'outdated');
    assert.equal((await registerLinkedRoles(t.as(operator))).state, 'registered');
    const end = emulator.misbehave({ kind: 'error', status: 503 });
    const { state, problem } = await getRegistration(t.services);
    assert.deepEqual([state, typeof problem], ['unknown', 'string']);
    await assert.rejects(registerLinkedRoles(t.as(operator)), refusal('UNAVAILABLE'));
    end();
    const without = { ...t.services, linkedRoles: undefined };
    assert.equal((await getRegistration(without)).state, 'not-configured');
  });

  it('are sent after connecting, and again when wallets or roles change', async () => {
    const { connection } = await connect(0);
    assert.equal(connection?.state, 'connected');
    assert.deepEqual(await dueNow(), [guild.idOf(0)]);
    await update(0);
    assert.deepEqual(toldOf(0), { wallets: '1', roles: '0', communities: '0' });
    assert.deepEqual(await dueNow(), []);
    guild.hold(0, '5');
    await guild.resync([0]);
    assert.deepEqual(await dueNow(), [guild.idOf(0)], 'a role was given');
    await update(0);
    const since = t.services.clock().toISOString();
    assert.deepEqual(toldOf(0), { wallets: '1', roles: '1', communities: '1', holder_since: since });
    t.advanceSeconds(3600);
    await query(`insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
      values ('second', '${guild.idOf(0)}', 'discord', 'evm', '0x1', now()), ('x', '${guild.idOf(0)}', 'discord', 'twitter', '7', now())`);
    assert.deepEqual(await dueNow(), [guild.idOf(0)], 'a wallet was linked');
    await update(0);
    assert.deepEqual(toldOf(0), { wallets: '2', roles: '1', communities: '1', holder_since: since });
    await query(`delete from wallet_connections where id in ('second', 'x')`);
    assert.deepEqual(await dueNow(), [guild.idOf(0)], 'a wallet was unlinked');
    const { connection: shown, values } = await getLinkedRoles(ctxOf(0));
    assert.ok(shown?.sentTime);
    assert.deepEqual(
      values.map(({ key, value }) => [key, value]),
      [
        ['wallets', '1'],
        ['roles', '1'],
        ['communities', '1'],
        ['holder_since', since],
      ],
    );
    const [row] = await query('select access_token, refresh_token from role_connections where user_id = $1', [
      guild.idOf(0),
    ]);
    const [place, sealed] = [`role_connections.access_token:${guild.idOf(0)}`, row.access_token];
    assert.ok(!sealed.includes(t.services.keyring.openText(place, sealed)), 'the token is not stored in plain text');
  });

  it('are not lowered by an unreadable chain, and do not count removed roles', async () => {
    await connect(1);
    guild.hold(1, '500');
    await guild.resync([1]);
    await update(1);
    assert.equal(toldOf(1)?.roles, '2');
    t.holdings.fail('evm:1', 'The node is down.');
    await guild.resync([1]);
    await update(1);
    assert.equal(toldOf(1)?.roles, '2');
    t.holdings.fail('evm:1', undefined);
    guild.hold(1, '5');
    await guild.resync([1]);
    await update(1);
    assert.equal(toldOf(1)?.roles, '1');
  });

  it('are not sent twice, and every user is checked within a day', async () => {
    await connect(2);
    await update(2);
    await dueNow();
    emulator.resetCounts();
    await update(2);
    assert.equal(emulator.counts().requests, 0);
    t.advanceSeconds(24 * 3600 + 1);
    assert.ok((await dueNow()).includes(guild.idOf(2)));
    assert.ok(!(await dueNow()).includes(guild.idOf(2)));
  });

  it('survive an outage and expired tokens', async () => {
    await connect(3);
    const end = emulator.misbehave({ kind: 'outage' });
    await assert.rejects(update(3), /did not respond/);
    end();
    t.advanceSeconds(8 * 24 * 3600);
    await update(3);
    assert.equal(toldOf(3)?.wallets, '1');
    guild.hold(3, '5');
    await guild.resync([3]);
    await update(3);
    assert.equal(toldOf(3)?.roles, '1');
  });

  it('end when the user revokes the permission on Discord, and can be connected again', async () => {
    await connect(4);
    await update(4);
    const [{ refresh_token }] = await query('select refresh_token from role_connections where user_id = $1', [
      guild.idOf(4),
    ]);
    const place = `role_connections.refresh_token:${guild.idOf(4)}`;
    await t.services.linkedRoles?.revoke(t.services.keyring.openText(place, refresh_token));
    guild.hold(4, '5');
    await guild.resync([4]);
    await update(4);
    assert.equal((await getLinkedRoles(ctxOf(4))).connection?.state, 'lost');
    const rows = await query('select access_token, refresh_token from role_connections where user_id = $1', [
      guild.idOf(4),
    ]);
    assert.deepEqual(rows, [{ access_token: null, refresh_token: null }]);
    await update(4);
    assert.equal((await connect(4)).connection?.state, 'connected');
    await update(4);
    assert.equal(toldOf(4)?.roles, '1');
  });

  it('are cleared and revoked when the user disconnects, also after an outage', async () => {
    await connect(5);
    await update(5);
    await disconnectLinkedRoles(ctxOf(5));
    assert.equal((await getLinkedRoles(ctxOf(5))).connection, undefined);
    await assert.rejects(disconnectLinkedRoles(ctxOf(5)), refusal('ENTITY_NOT_FOUND'));
    const end = emulator.misbehave({ kind: 'error', status: 503 });
    await assert.rejects(revoke(), /503/);
    end();
    assert.equal((await endings()).length, 1);
    await revoke();
    assert.deepEqual(toldOf(5), {});
    assert.deepEqual(await endings(), []);
    await connect(5);
    await disconnectLinkedRoles(ctxOf(5));
    await connect(5);
    assert.deepEqual(await endings(), [], 'a new authorization is not revoked');
    await update(5);
    assert.equal(toldOf(5)?.wallets, '1');
  });

  it('are erased with the user, and revoked without naming them', async () => {
    await connect(6);
    await update(6);
    const person = { userId: guild.idOf(6), pseudonym: '', wallets: [], coHolders: [], clientIds: [] };
    await t.services.db.transaction('system', (tx) => linkedRolesErasure.forget(t.as(operator), tx, person));
    const [ending, ...rest] = await endings();
    assert.deepEqual([ending?.user_id, rest], [null, []]);
    await revoke();
    assert.deepEqual(toldOf(6), {});
    assert.deepEqual(await query('select 1 from role_connections where user_id = $1', [guild.idOf(6)]), []);
  });

  it('are refused to another account, another person’s attempt, a used code and a made-up one', async () => {
    await assert.rejects(finishConnecting(ctxOf(7), await allow(7, 8)), refusal('STATE_CONFLICT', /member8/));
    assert.equal((await getLinkedRoles(ctxOf(7))).connection, undefined);
    const other = await allow(8);
    await assert.rejects(finishConnecting(ctxOf(7), other), refusal('ENTITY_NOT_FOUND'));
    await finishConnecting(ctxOf(8), other);
    await assert.rejects(finishConnecting(ctxOf(8), other), refusal('ENTITY_NOT_FOUND'));
    const { body } = await allow(7);
    await assert.rejects(
      finishConnecting(ctxOf(7), { body: { ...body, code: 'made-up' } }),
      refusal('VALIDATION_FAILED', /Start again/),
    );
    const late = await allow(7);
    t.advanceSeconds(16 * 60);
    await assert.rejects(finishConnecting(ctxOf(7), late), refusal('ENTITY_NOT_FOUND'));
    await assert.rejects(disconnectLinkedRoles(t.as(mallory)), refusal('ENTITY_NOT_FOUND'));
  });

  it('report what is missing on a server without a Discord application', async () => {
    const without = { ...ctxOf(7), linkedRoles: undefined };
    await query(`insert into role_connection_changes (user_id) values ('${guild.idOf(0)}')`);
    await findDue(without);
    assert.deepEqual(await query('select 1 from role_connection_changes'), [], 'changes do not pile up');
    assert.equal((await getLinkedRoles(without)).isOffered, false);
    await assert.rejects(beginConnecting(without), refusal('NOT_CONFIGURED', /LATCHKEY_DISCORD_CLIENT_SECRET/));
    await assert.rejects(registerLinkedRoles({ ...t.as(operator), linkedRoles: undefined }), refusal('NOT_CONFIGURED'));
  });
});
