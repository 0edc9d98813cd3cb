import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type MemberRoles, type MemberWrite, PlatformFailed } from '@latchkey/core/ports';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { patientMs } from '@latchkey/emulators/testing';
import { until } from '@latchkey/test-kit';
import { createDiscord, type Discord } from '../index.ts';

describe('roles on Discord', () => {
  let emulator: DiscordEmulator;
  let discord: Discord;
  let guildId: string;
  let holder: string;
  let whale: string;
  let other: string;
  before(async () => {
    emulator = await startDiscordEmulator({ seed: 'host' });
  });
  after(() => emulator.stop());
  beforeEach(() => {
    emulator.behave();
    emulator.resetCounts();
    // Each client learns the limits separately.
    discord = createDiscord({ fetch, token: emulator.application.token, apiUrl: emulator.url, timeoutMs: patientMs });
    guildId = emulator.createGuild({ name: 'Guild' }).id;
    [holder, whale, other] = ['Holder', 'Whale', 'Other'].map((name) => emulator.createRole(guildId, { name }).id) as [
      string,
      string,
      string,
    ];
  });

  const pagesOf = async (guild: string) => {
    const pages: (readonly MemberRoles[])[] = [];
    for await (const page of discord.host.readMembers(guild)) pages.push(page);
    return pages;
  };
  const join = (...roles: string[]) => emulator.addMember(guildId, { roles }).user.id;
  const rolesOf = (userId: string) => [...(emulator.getGuild(guildId).members.get(userId)?.roles ?? [])].toSorted();
  const sorted = (...roles: string[]) => roles.toSorted();
  const write = (userId: string, change: Partial<MemberWrite>) =>
    discord.host.writeMember({
      communityId: guildId,
      userId,
      add: [],
      remove: [],
      held: [],
      reason: 'test',
      ...change,
    });
  const writes = () =>
    Object.entries(emulator.counts().byRoute)
      .filter(([label]) => !label.startsWith('GET'))
      .map(([label, count]) => `${count} ${label.split(' ')[0]}`);

  test('one change is one call, which leaves the other roles alone, and is read back', async () => {
    const userId = join(other);
    const outcome = await write(userId, { add: [holder], held: [other] });
    assert.ok(outcome.kind === 'written');
    assert.deepEqual(outcome.roleIds.toSorted(), sorted(holder, other));
    assert.equal(outcome.calls, 1);
    assert.deepEqual(writes(), ['1 PUT']);
    assert.equal((await write(userId, { remove: [holder], held: [other, holder] })).kind, 'written');
    assert.deepEqual(rolesOf(userId), [other]);
    const [entry] = emulator.getGuild(guildId).audit.slice(-1);
    assert.equal(entry?.reason, 'test');
  });

  test('all changes of a member are one call', async () => {
    const userId = join(other, whale);
    const outcome = await write(userId, { add: [holder], remove: [whale], held: [whale, other] });
    assert.ok(outcome.kind === 'written' && outcome.calls === 1);
    assert.deepEqual(rolesOf(userId), sorted(holder, other));
    assert.deepEqual(writes(), ['1 PATCH']);
  });

  test('a role that another admin granted meanwhile is not removed by our change', async () => {
    const userId = join(whale, other);
    const outcome = await write(userId, { add: [holder], remove: [whale], held: [whale] });
    assert.equal(outcome.kind, 'written');
    assert.deepEqual(rolesOf(userId), sorted(holder, other));
    assert.deepEqual(writes().toSorted(), ['1 DELETE', '1 PUT']);
  });

  test('a role list that is wrongly empty strips no member', async () => {
    const userId = join(whale, other);
    emulator.misbehave({ kind: 'empty-roles', on: 'GET', count: 1 });
    const outcome = await write(userId, { add: [holder], remove: [whale], held: [whale, other] });
    assert.equal(outcome.kind, 'written');
    assert.deepEqual(rolesOf(userId), sorted(holder, other));
  });

  test('a change that is already in place costs no write', async () => {
    const userId = join(holder);
    const outcome = await write(userId, { add: [holder], remove: [whale], held: [holder] });
    assert.deepEqual(outcome, { kind: 'written', roleIds: [holder], calls: 0 });
    assert.deepEqual(writes(), []);
  });

  test('a write that Discord acknowledges and loses is detected and written again', async () => {
    const [gains, both] = [join(other), join(whale)];
    emulator.misbehave({ kind: 'lost-write', count: 1 });
    const outcome = await write(gains, { add: [holder], held: [other] });
    assert.ok(outcome.kind === 'written' && outcome.calls === 2);
    assert.deepEqual(rolesOf(gains), sorted(holder, other));
    // The response to a lost PATCH looks as if it succeeded.
    emulator.misbehave({ kind: 'lost-write', count: 1 });
    assert.equal((await write(both, { add: [holder, other], held: [whale] })).kind, 'written');
    assert.deepEqual(rolesOf(both), sorted(holder, whale, other));
  });

  test('a write that is lost again and again is a failure, not a success', async () => {
    const userId = join();
    emulator.misbehave({ kind: 'lost-write' });
    const outcome = await write(userId, { add: [holder] });
    assert.ok(outcome.kind === 'failed' && outcome.reason.includes('but they were not'));
  });

  test('many writes are checked with few reads', async () => {
    const users = Array.from({ length: 10 }, () => join());
    await pagesOf(guildId);
    emulator.resetCounts();
    const outcomes = await Promise.all(users.map((userId) => write(userId, { add: [holder] })));
    assert.ok(outcomes.every(({ kind }) => kind === 'written'));
    const reads = emulator.counts().requests - 10;
    assert.ok(reads <= 3, `${reads} reads`);
    assert.equal(emulator.counts().rateLimited, 0);
    assert.equal(emulator.counts().noOpWrites, 0);
  });

  test('without the members intent writes are checked one by one, and the list says what to switch on', async () => {
    const { application } = emulator;
    const intents = application.privilegedIntents;
    application.privilegedIntents = 0;
    try {
      const users = Array.from({ length: 5 }, () => join());
      const outcomes = await Promise.all(users.map((userId) => write(userId, { add: [holder] })));
      assert.ok(outcomes.every(({ kind }) => kind === 'written'));
      await assert.rejects(pagesOf(guildId), /Server Members Intent/);
    } finally {
      application.privilegedIntents = intents;
    }
  });

  test('a role above the bot is named, and no other call is wasted on it', async () => {
    const top = emulator.createRole(guildId, { name: 'Council' }).id;
    emulator.moveRole(guildId, top, 99);
    const users = Array.from({ length: 20 }, () => join());
    const outcomes = await Promise.all(users.map((userId) => write(userId, { add: [top] })));
    for (const outcome of outcomes) {
      assert.ok(outcome.kind === 'forbidden');
      assert.equal(outcome.roleId, top);
      assert.match(outcome.advice, /Move the role "Council" below the bot's role "Latchkey"/);
    }
    assert.equal(emulator.counts().invalid, 1);
    assert.equal((await write(users[0] ?? '', { add: [holder] })).kind, 'written');
  });

  test('in a change of several roles the failing one is named, and the others are written', async () => {
    const top = emulator.createRole(guildId, { name: 'Council' }).id;
    emulator.moveRole(guildId, top, 99);
    const [booster, missing] = [
      emulator.createRole(guildId, { name: 'Booster', managed: true }).id,
      '123456789012345678',
    ];
    for (const [bad, fault] of [
      [top, 'above-bot'],
      [booster, 'managed'],
      [missing, 'missing'],
      [guildId, 'everyone'],
    ] as const) {
      for (const held of [[other], []]) {
        const userId = join(...held);
        emulator.resetCounts();
        await discord.host.findFaults?.(guildId, []);
        const outcome = await write(userId, { add: [holder, bad, whale], held });
        assert.ok(outcome.kind === 'written', fault);
        assert.deepEqual(
          outcome.refused?.map((refusal) => [refusal.roleId, refusal.fault]),
          [[bad, fault]],
        );
        assert.deepEqual(rolesOf(userId), sorted(holder, whale, ...held));
        const { byStatus } = emulator.counts();
        assert.equal((byStatus[400] ?? 0) + (byStatus[403] ?? 0) + (byStatus[404] ?? 0), 1, 'one try');
        assert.equal(emulator.counts().noOpWrites, 0);
      }
    }
  });

  test('an unexplained refusal names no role of several, and affects no other member', async () => {
    const first = join(other);
    emulator.misbehave({ kind: 'error', status: 403, on: 'PATCH', count: 1 });
    const outcome = await write(first, { add: [holder, whale], held: [other] });
    assert.ok(outcome.kind === 'forbidden' && outcome.roleId === undefined && outcome.scope === undefined);
    assert.equal((await write(join(other), { add: [holder, whale], held: [other] })).kind, 'written');
  });

  test('a refused role is retried once it was read again', async () => {
    const top = emulator.createRole(guildId, { name: 'Council' }).id;
    emulator.moveRole(guildId, top, 99);
    assert.equal((await write(join(), { add: [top] })).kind, 'forbidden');
    assert.deepEqual(
      (await discord.host.findFaults?.(guildId, [top, holder]))?.map(({ roleId, fault }) => [roleId, fault]),
      [[top, 'above-bot']],
    );
    emulator.moveRole(guildId, top, 1);
    assert.deepEqual(await discord.host.findFaults?.(guildId, [top, holder]), []);
    assert.equal((await write(join(), { add: [top] })).kind, 'written');
  });

  test('a missing permission is named, and an integration’s role is reported as such', async () => {
    const bot = emulator.createRole(guildId, { name: 'Booster', managed: true }).id;
    const managed = await write(join(), { add: [bot] });
    assert.ok(managed.kind === 'forbidden' && /belongs to an integration/.test(managed.advice));
    const own = [...emulator.getGuild(guildId).roles.values()].find((role) => role.botId === emulator.application.id);
    emulator.setPermissions(guildId, own?.id ?? '', ['VIEW_CHANNEL']);
    const powerless = await write(join(), { add: [holder] });
    assert.ok(powerless.kind === 'forbidden' && /Manage Roles/.test(powerless.advice));
    assert.equal(powerless.roleId, undefined);
  });

  test('a member who left is gone, and a deleted role is forbidden', async () => {
    const userId = join();
    emulator.removeMember(guildId, userId);
    assert.deepEqual(await write(userId, { add: [holder] }), { kind: 'gone' });
    assert.deepEqual(await write('123456789012345678', { add: [holder, whale], held: [other] }), { kind: 'gone' });
    const outcome = await write(join(), { add: ['123456789012345678'] });
    assert.ok(outcome.kind === 'forbidden' && outcome.roleId === '123456789012345678');
  });

  test('a server without the bot is unknown', async () => {
    const strange = emulator.createGuild({ name: 'Elsewhere', bot: false }).id;
    const outcome = await discord.host.writeMember({
      communityId: strange,
      userId: join(),
      add: [holder],
      remove: [],
      held: [],
      reason: 'test',
    });
    assert.ok(outcome.kind === 'forbidden' && /Invite it again/.test(outcome.advice));
    for (const read of [
      () => discord.host.readRoles(strange),
      () => discord.host.readMember('123456789012345678', join()),
    ])
      await assert.rejects(read(), (error) => error instanceof PlatformFailed && error.kind === 'unknown-community');
  });

  test('an outage is a transient failure, and the token is in no message', async () => {
    const userId = join();
    for (const fault of [{ kind: 'error', status: 503 }, { kind: 'outage' }] as const) {
      const end = emulator.misbehave(fault);
      const outcome = await write(userId, { add: [holder] });
      assert.ok(outcome.kind === 'failed' && (outcome.retryAfterSeconds ?? 0) > 0);
      const problem = await discord.host.readRoles(guildId).catch((error: Error) => error);
      assert.ok(problem instanceof PlatformFailed && problem.kind === 'unavailable');
      assert.ok(!`${JSON.stringify(outcome)}${problem.stack}`.includes(emulator.application.token));
      end();
    }
    assert.equal((await write(userId, { add: [holder] })).kind, 'written');
  });

  test('an unresponsive Discord times out', async () => {
    const hasty = createDiscord({ fetch, token: emulator.application.token, apiUrl: emulator.url, timeoutMs: 500 });
    const end = emulator.misbehave({ kind: 'hang' });
    await assert.rejects(hasty.host.readRoles(guildId), /did not respond/);
    end();
    // A client with a short timeout may also time out on a busy machine.
    const roles = await until('it is read again', () => hasty.host.readRoles(guildId).catch(() => undefined));
    assert.equal(roles.length, 5);
  });

  test('a wrong token is reported once and not retried', async () => {
    const wrong = createDiscord({ fetch, token: 'not-the-token', apiUrl: emulator.url });
    for (let n = 0; n < 5; n += 1) {
      const problem = await wrong.host.readRoles(guildId).catch((error: Error) => error);
      assert.ok(problem instanceof PlatformFailed && problem.kind === 'not-configured');
      assert.ok(!problem.message.includes('not-the-token'));
    }
    assert.equal(emulator.counts().invalid, 1);
  });

  test('members are read in pages, roles with their positions, and admins are distinguished', async () => {
    const users = Array.from({ length: 1500 }, () => join(holder));
    const pages = await pagesOf(guildId);
    assert.deepEqual(
      pages.map((page) => page.length),
      [1000, 502],
    );
    assert.equal(new Set(pages.flat().map(({ userId }) => userId)).size, 1502);
    assert.ok(pages.flat().some((member) => member.isBot));
    assert.deepEqual((await discord.host.readMember(guildId, users[7] ?? ''))?.roleIds, [holder]);
    assert.equal(await discord.host.readMember(guildId, '123456789012345678'), undefined);
    const roles = await discord.host.readRoles(guildId);
    assert.ok(roles.find((role) => role.name === 'Latchkey')?.isManaged);
    const { ownerId } = emulator.getGuild(guildId);
    const roleOf = (permission: 'MANAGE_ROLES' | 'MANAGE_GUILD') =>
      emulator.createRole(guildId, { name: permission, permissions: [permission] }).id;
    assert.equal(await discord.host.administers?.(guildId, ownerId), true);
    assert.equal(await discord.host.administers?.(guildId, join(roleOf('MANAGE_GUILD'))), true);
    assert.equal(await discord.host.administers?.(guildId, join(roleOf('MANAGE_ROLES'))), false);
    assert.equal(await discord.host.findOwner?.(guildId), ownerId);
    assert.equal(await discord.host.administers?.(guildId, users[0] ?? ''), false);
    assert.equal(await discord.host.administers?.(guildId, '123456789012345678'), false);
  });

  test('roles with power are distinguished, and what @everyone may do is not power', async () => {
    const powers = async () =>
      (await discord.host.findFaults?.(guildId, [holder, mods]))?.map((found) => [
        found.fault,
        found.roleName,
        found.permissions?.join(),
      ]);
    const mods = emulator.createRole(guildId, { name: 'Mods', permissions: ['KICK_MEMBERS', 'MANAGE_GUILD'] }).id;
    assert.deepEqual(await powers(), [['ruling', 'Mods', 'Kick Members,Manage Server']]);
    emulator.setPermissions(guildId, guildId, ['KICK_MEMBERS']);
    assert.deepEqual(await powers(), [['ruling', 'Mods', 'Manage Server']]);
  });

  test('an incomplete response about power is unknown', async () => {
    const bodies = ['{}', '[]', '{"owner_id":"1","roles":[{"id":"1"}]}', '{"owner_id":"1","roles":[]}', '[{"id":"1"}]'];
    let body = '';
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { host } = createDiscord({ fetch, token: emulator.application.token, apiUrl, timeoutMs: patientMs });
    const isUnknown = (error: unknown) => error instanceof PlatformFailed && error.kind === 'unavailable';
    try {
      for (body of bodies) {
        await assert.rejects(async () => host.administers?.(guildId, '123456789012345678'), isUnknown, body);
        await assert.rejects(async () => host.findFaults?.(guildId, []), isUnknown, body);
      }
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('a shared rate limit is waited out', async () => {
    emulator.misbehave({ kind: 'rate-limit', retryAfterSeconds: 0.2, scope: 'shared', count: 2 });
    assert.equal((await discord.host.readRoles(guildId)).length, 5);
    assert.equal(discord.metrics().rateLimited, 2);
    assert.equal(discord.metrics().invalid, 0);
  });

  test('a write that is aborted while waiting is never sent', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    const change = { communityId: guildId, userId: join(), add: [holder], remove: [], held: [], reason: 'test' };
    await assert.rejects(discord.host.writeMember(change, stop.signal), /stopped/);
    assert.deepEqual(writes(), []);
  });

  test('the icon of a guild is read from the file server, once, and not while Discord does not answer', async () => {
    const { host } = createDiscord({
      fetch,
      token: emulator.application.token,
      apiUrl: emulator.url,
      cdnUrl: emulator.cdnUrl,
      timeoutMs: patientMs,
    });
    const read = (version?: string) => host.readPicture?.(guildId, version);
    assert.deepEqual(await read(), { kind: 'none' });
    const bytes = Buffer.from('an icon');
    emulator.setIcon(guildId, bytes);
    const shown = await read();
    assert.ok(shown?.kind === 'picture');
    assert.deepEqual(Buffer.from(shown.bytes), bytes);
    assert.deepEqual(await read(shown.version), { kind: 'same' });
    emulator.misbehave({ kind: 'error', on: 'GET /icons/:guild/:file', status: 503 });
    await assert.rejects(async () => read(), PlatformFailed);
    emulator.behave();
    emulator.misbehave({ kind: 'error', on: 'GET /icons/:guild/:file', status: 404 });
    const gone = await read();
    assert.ok(gone?.kind === 'picture' && gone.bytes.length === 0);
    emulator.behave();
    emulator.setIcon(guildId, undefined);
    assert.deepEqual(await read(shown.version), { kind: 'none' });
  });
});
