import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { intents } from './intents.ts';
import { ask, emulatorFor } from './testing.ts';

async function clubFor(t: TestContext) {
  const buckets = { 'message-write': { limit: 100, windowSeconds: 1 } };
  const emulator = await emulatorFor(t, { limits: { globalPerSecond: 1000, buckets } });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const role = emulator.createRole(guild.id, { name: 'Holder' });
  const ann = emulator.addMember(guild.id, { name: 'ann' });
  const path = `/guilds/${guild.id}/members/${ann.user.id}`;
  return { emulator, guild, role, ann, path };
}

const codeOf = ({ status, body }: { status: number; body: { code: number } }) => [status, body.code];

test('one PATCH replaces all roles of a member, and the reason is kept', async (t) => {
  const { emulator, guild, role, ann, path } = await clubFor(t);
  const other = emulator.createRole(guild.id, { name: 'Other' });
  emulator.setMemberRoles(guild.id, ann.user.id, [other.id]);
  const authorization = `Bot ${emulator.application.token}`;
  const reason = encodeURIComponent('owns a cat – verified');
  const headers = { authorization, 'x-audit-log-reason': reason };
  const { status, body } = await ask(emulator, `PATCH ${path}`, { roles: [role.id] }, headers);
  assert.equal(status, 200);
  assert.deepEqual(body.roles, [role.id]);
  const [entry] = guild.audit;
  assert.equal(entry?.reason, 'owns a cat – verified');
  assert.deepEqual(entry?.changes, [
    { key: '$add', new_value: [{ id: role.id, name: 'Holder' }] },
    { key: '$remove', new_value: [{ id: other.id, name: 'Other' }] },
  ]);
});

test('writes that change nothing succeed and are counted', async (t) => {
  const { emulator, role, path } = await clubFor(t);
  assert.equal((await ask(emulator, `PUT ${path}/roles/${role.id}`)).status, 204);
  assert.equal(emulator.counts().noOpWrites, 0);
  assert.equal((await ask(emulator, `PUT ${path}/roles/${role.id}`)).status, 204);
  assert.equal((await ask(emulator, `PATCH ${path}`, { roles: [role.id] })).status, 200);
  assert.equal((await ask(emulator, `DELETE ${path}/roles/${role.id}`)).status, 204);
  assert.equal((await ask(emulator, `DELETE ${path}/roles/${role.id}`)).status, 204);
  assert.equal(emulator.counts().noOpWrites, 3);
});

test('a bot without Manage Roles, below a role, or facing a managed role is refused', async (t) => {
  const { emulator, guild, role, ann, path } = await clubFor(t);
  const high = emulator.createRole(guild.id, { name: 'High', position: 9 });
  const booster = emulator.createRole(guild.id, { name: 'Booster', managed: true });
  assert.deepEqual(codeOf(await ask(emulator, `PUT ${path}/roles/${high.id}`)), [403, 50013]);
  assert.deepEqual(codeOf(await ask(emulator, `PATCH ${path}`, { roles: [role.id, high.id] })), [403, 50013]);
  assert.deepEqual(codeOf(await ask(emulator, `PUT ${path}/roles/${booster.id}`)), [403, 50013]);
  assert.deepEqual(codeOf(await ask(emulator, `PUT ${path}/roles/${guild.id}`)), [400, 50028]);
  emulator.setMemberRoles(guild.id, ann.user.id, [booster.id]);
  // A PATCH without a managed role would remove it, which is not allowed.
  assert.deepEqual(codeOf(await ask(emulator, `PATCH ${path}`, { roles: [role.id] })), [403, 50013]);
  assert.equal((await ask(emulator, `PATCH ${path}`, { roles: [role.id, booster.id] })).status, 200);

  const own = [...guild.roles.values()].find(({ botId }) => botId !== undefined);
  emulator.setPermissions(guild.id, own?.id ?? '', ['VIEW_CHANNEL']);
  assert.deepEqual(codeOf(await ask(emulator, `DELETE ${path}/roles/${role.id}`)), [403, 50013]);
  assert.deepEqual([...ann.roles], [role.id, booster.id]);
  emulator.setPermissions(guild.id, own?.id ?? '', ['ADMINISTRATOR']);
  assert.deepEqual(
    codeOf(await ask(emulator, `PUT ${path}/roles/${high.id}`)),
    [403, 50013],
    'rank binds administrators',
  );
  assert.equal((await ask(emulator, `DELETE ${path}/roles/${role.id}`)).status, 204);
});

test('missing and inaccessible resources have their own codes', async (t) => {
  const { emulator, guild, role, path } = await clubFor(t);
  const far = emulator.createGuild({ name: 'Dog Club', bot: false });
  const nowhere = '100000000000000000';
  const cases: readonly [route: string, expected: readonly [number, number], body?: unknown][] = [
    [`GET /guilds/${nowhere}`, [404, 10004]],
    [`GET /guilds/${far.id}`, [403, 50001]],
    [`GET /guilds/${guild.id}/members/${nowhere}`, [404, 10013]],
    [`GET /guilds/${guild.id}/members/${emulator.createUser('stranger').id}`, [404, 10007]],
    [`PUT ${path}/roles/${nowhere}`, [404, 10011]],
    [`PATCH ${path}`, [404, 10011], { roles: [nowhere] }],
    [`PATCH ${path}`, [400, 50035], { roles: ['gold'] }],
    [`PATCH ${path}`, [400, 50035], { roles: 'gold' }],
    [`PATCH ${path}`, [400, 50109], '{'],
    [`GET /guilds/gold`, [400, 50035]],
    [`GET /guilds/${guild.id}/members?limit=1001`, [400, 50035]],
    [`GET /guilds/${guild.id}/members?limit=0`, [400, 50035]],
    [`GET /channels/${nowhere}`, [404, 10003]],
    [`DELETE /guilds/${guild.id}/members/${guild.ownerId}`, [403, 50013]],
    [`PUT /guilds/${guild.id}/roles/${role.id}`, [405, 0]],
    ['GET /nothing', [404, 0]],
  ];
  for (const [route, expected, body] of cases) {
    assert.deepEqual(codeOf(await ask(emulator, route, body)), expected, route);
  }
  const { body } = await ask(emulator, `PATCH ${path}`, { roles: ['gold'] });
  assert.deepEqual(body.errors, {
    roles: { 0: { _errors: [{ code: 'NUMBER_TYPE_COERCE', message: 'Value "gold" is not snowflake.' }] } },
  });
});

test('a wrong token or none is 401', async (t) => {
  const { emulator, path } = await clubFor(t);
  for (const authorization of [undefined, 'Bot wrong', emulator.application.token]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    assert.deepEqual(codeOf(await ask(emulator, `GET ${path}`, undefined, headers)), [401, 0]);
  }
});

test('members come in the order of their ids, a thousand at most', async (t) => {
  const { emulator, guild } = await clubFor(t);
  for (const id of ['99999999999999999', '100000000000000001', '999999999999999999'])
    emulator.addMember(guild.id, { id });
  const seen: string[] = [];
  for (let after = '0'; ; ) {
    const { body } = await ask(emulator, `GET /guilds/${guild.id}/members?limit=2&after=${after}`);
    if (body.length === 0) break;
    seen.push(...body.map((member: { user: { id: string } }) => member.user.id));
    after = seen.at(-1) ?? '';
  }
  assert.deepEqual(seen.slice(0, 3), ['99999999999999999', '100000000000000001', '999999999999999999']);
  assert.deepEqual(new Set(seen), new Set(guild.members.keys()));
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)),
  );
  emulator.application.privilegedIntents &= ~intents.members;
  assert.deepEqual(codeOf(await ask(emulator, `GET /guilds/${guild.id}/members?limit=2`)), [403, 50001]);
});

test('a bot moves only what stays below it', async (t) => {
  const { emulator, guild, role } = await clubFor(t);
  const high = emulator.createRole(guild.id, { name: 'High', position: 9 });
  const own = [...guild.roles.values()].find(({ botId }) => botId !== undefined);
  const move = (id: string, position: number) => ask(emulator, `PATCH /guilds/${guild.id}/roles`, [{ id, position }]);
  assert.deepEqual(codeOf(await move(high.id, 1)), [403, 50013]);
  assert.deepEqual(codeOf(await move(role.id, own?.position ?? 0)), [403, 50013]);
  const low = emulator.createRole(guild.id, { name: 'Low' });
  assert.equal((await move(low.id, 2)).status, 200);
  assert.deepEqual([role.position, low.position, own?.position, high.position], [1, 2, 3, 4]);
  // A bot cannot grant more permissions than it has.
  const create = { name: 'Admin', permissions: String(1 << 3) };
  assert.deepEqual(codeOf(await ask(emulator, `POST /guilds/${guild.id}/roles`, create)), [403, 50013]);
});

test('channel overwrites decide who sees it and who writes', async (t) => {
  const { emulator, guild } = await clubFor(t);
  const channel = emulator.createChannel(guild.id, { name: 'vault' });
  const send = () => ask(emulator, `POST /channels/${channel.id}/messages`, { content: 'hi' });
  assert.equal((await send()).status, 200);
  emulator.setOverwrite(channel.id, { roleId: guild.id }, { deny: ['SEND_MESSAGES'] });
  assert.deepEqual(codeOf(await send()), [403, 50013]);
  emulator.setOverwrite(channel.id, { roleId: guild.id }, { deny: ['VIEW_CHANNEL'] });
  assert.deepEqual(codeOf(await send()), [403, 50001]);
  emulator.setOverwrite(channel.id, { userId: emulator.application.id }, { allow: ['VIEW_CHANNEL'] });
  assert.equal((await send()).status, 200);
  assert.deepEqual(codeOf(await ask(emulator, `POST /channels/${channel.id}/messages`, {})), [400, 50006]);
  const long = { content: 'x'.repeat(2001) };
  assert.deepEqual(codeOf(await ask(emulator, `POST /channels/${channel.id}/messages`, long)), [400, 50035]);
});

test('a nickname and a kick need rank as well as the permission, and admins can read who did it', async (t) => {
  const { emulator, guild, ann, path } = await clubFor(t);
  assert.deepEqual(codeOf(await ask(emulator, `PATCH ${path}`, { nick: 'Cat Lord' })), [403, 50013]);
  assert.deepEqual(codeOf(await ask(emulator, `GET /guilds/${guild.id}/audit-logs`)), [403, 50013]);
  const own = [...guild.roles.values()].find(({ botId }) => botId !== undefined);
  emulator.setPermissions(guild.id, own?.id ?? '', ['MANAGE_NICKNAMES', 'KICK_MEMBERS', 'VIEW_AUDIT_LOG']);
  assert.equal((await ask(emulator, `PATCH ${path}`, { nick: 'Cat Lord' })).body.nick, 'Cat Lord');
  const high = emulator.createRole(guild.id, { name: 'High', position: 9 });
  emulator.setMemberRoles(guild.id, ann.user.id, [high.id]);
  assert.deepEqual(codeOf(await ask(emulator, `PATCH ${path}`, { nick: null })), [403, 50013]);
  assert.deepEqual(codeOf(await ask(emulator, `DELETE ${path}`)), [403, 50013]);
  emulator.setMemberRoles(guild.id, ann.user.id, []);
  assert.equal((await ask(emulator, `DELETE ${path}`)).status, 204);
  const { body } = await ask(emulator, `GET /guilds/${guild.id}/audit-logs?limit=1`);
  assert.deepEqual(
    body.audit_log_entries.map((entry: Record<string, unknown>) => [entry.action_type, entry.target_id, entry.user_id]),
    [[20, ann.user.id, emulator.application.id]],
  );
});

test('a role that a bot gives ends the screening of a pending member, as on Discord', async (t) => {
  const { emulator, guild, role } = await clubFor(t);
  const [ben, cid] = ['ben', 'cid'].map((name) => emulator.addMember(guild.id, { name, isPending: true }));
  const pendingOf = async (id = '') => (await ask(emulator, `GET /guilds/${guild.id}/members/${id}`)).body.pending;
  assert.equal(await pendingOf(ben?.user.id), true);
  await ask(emulator, `PUT /guilds/${guild.id}/members/${ben?.user.id}/roles/${role.id}`);
  assert.equal(await pendingOf(ben?.user.id), false);
  emulator.passScreening(guild.id, cid?.user.id ?? '');
  assert.equal(await pendingOf(cid?.user.id), false);
});
