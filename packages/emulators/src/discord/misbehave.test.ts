import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { ask, emulatorFor } from './testing.ts';

async function clubFor(t: TestContext, seed = 'seed') {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const limits = { globalPerSecond: 1e6, buckets: { 'member-write': { limit: 1e6, windowSeconds: 1 } } };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs, limits, seed });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const role = emulator.createRole(guild.id, { name: 'Holder' });
  const members = Array.from({ length: 200 }, () => emulator.addMember(guild.id));
  return { time, emulator, guild, role, members };
}

test('lost writes are acknowledged, and the same seed loses the same ones', async (t) => {
  const lost = async () => {
    const { emulator, guild, role, members } = await clubFor(t);
    emulator.misbehave({ kind: 'lost-write', on: 'PATCH /guilds/:guild/members', probability: 0.1 });
    for (const { user } of members) {
      const answer = await ask(emulator, `PATCH /guilds/${guild.id}/members/${user.id}`, { roles: [role.id] });
      assert.deepEqual([answer.status, answer.body.roles], [200, [role.id]]);
    }
    const missing = members.flatMap(({ roles }, at) => (roles.has(role.id) ? [] : at));
    assert.equal(emulator.counts().lostWrites, missing.length);
    return missing;
  };
  const first = await lost();
  assert.ok(first.length > 5 && first.length < 40, `${first.length} of 200`);
  assert.deepEqual(await lost(), first);
});

test('a fault ends after its count, after its time, or on request', async (t) => {
  const { time, emulator } = await clubFor(t);
  const status = async () => (await ask(emulator, 'GET /users/@me')).status;
  emulator.misbehave({ kind: 'error', status: 500, count: 2 });
  assert.deepEqual([await status(), await status(), await status()], [500, 500, 200]);
  emulator.misbehave({ kind: 'error', forMs: 5000 });
  assert.equal(await status(), 502);
  time.nowMs += 5000;
  assert.equal(await status(), 200);
  const end = emulator.misbehave({ kind: 'error', status: 503, on: /users/ });
  assert.equal(await status(), 503);
  end();
  assert.equal(await status(), 200);
});

test('roles can be missing from responses without an error', async (t) => {
  const { emulator, guild, role, members } = await clubFor(t);
  const [member] = members;
  emulator.setMemberRoles(guild.id, member?.user.id ?? '', [role.id]);
  emulator.misbehave({ kind: 'empty-roles', count: 2 });
  assert.deepEqual((await ask(emulator, `GET /guilds/${guild.id}/members/${member?.user.id}`)).body.roles, []);
  assert.deepEqual((await ask(emulator, `GET /guilds/${guild.id}/roles`)).body, []);
  assert.deepEqual((await ask(emulator, `GET /guilds/${guild.id}/members/${member?.user.id}`)).body.roles, [role.id]);
});

test('an outage cuts REST and gateway, a hang never responds', async (t) => {
  const { emulator } = await clubFor(t);
  const socket = new WebSocket(emulator.gatewayUrl);
  await new Promise((resolve) => socket.once('message', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  emulator.misbehave({ kind: 'outage' });
  await closed;
  await assert.rejects(ask(emulator, 'GET /users/@me'), TypeError);
  const refused = new WebSocket(emulator.gatewayUrl);
  await new Promise((resolve) => refused.once('error', resolve));
  emulator.behave();
  assert.equal((await ask(emulator, 'GET /users/@me')).status, 200);

  emulator.misbehave({ kind: 'hang', count: 1 });
  const headers = { authorization: `Bot ${emulator.application.token}` };
  const waiting = fetch(`${emulator.url}/v10/users/@me`, { headers, signal: AbortSignal.timeout(50) });
  await assert.rejects(waiting, { name: 'TimeoutError' });
});

test('the pages under /emulator show the guilds and take commands', async (t) => {
  const { emulator, guild } = await clubFor(t);
  const at = (path: string, init?: RequestInit) => fetch(`${emulator.controlUrl}${path}`, init);
  const made = await at(`/guilds/${guild.id}/members`, { method: 'POST', body: JSON.stringify({ name: 'zoe' }) });
  const { id } = await made.json();
  const [shown] = await (await at('/guilds')).json();
  assert.equal(shown.name, 'Cat Club');
  assert.deepEqual(shown.members.at(-1), { id, name: 'zoe', roles: [] });
  assert.equal((await at(`/guilds/${guild.id}/members/${id}`, { method: 'DELETE' })).status, 204);
  assert.ok(!guild.members.has(id));
  await at('/misbehave', { method: 'POST', body: JSON.stringify({ kind: 'error', status: 500 }) });
  assert.equal((await ask(emulator, 'GET /users/@me')).status, 500);
  assert.equal((await at('/misbehave', { method: 'DELETE' })).status, 204);
  assert.equal((await ask(emulator, 'GET /users/@me')).status, 200);
  assert.equal((await at('/guilds/1')).status, 400);
  assert.equal((await at('/nothing')).status, 404);
});
