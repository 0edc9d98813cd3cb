import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { REST } from 'discord.js';
import type { LimitOptions } from './limits/limits.ts';
import { ask, emulatorFor } from './testing.ts';

/** Creates a club whose clock moves only when the test advances it. */
async function clubFor(t: TestContext, limits: LimitOptions = {}) {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs, limits });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const role = emulator.createRole(guild.id, { name: 'Holder' });
  const members = Array.from({ length: 30 }, () => emulator.addMember(guild.id));
  const give = (at: number) =>
    ask(emulator, `PATCH /guilds/${guild.id}/members/${members[at]?.user.id}`, { roles: [role.id] });
  return { time, emulator, guild, role, members, give };
}

test('ten members in ten seconds per guild: the headers say so, and the eleventh waits', async (t) => {
  const { time, emulator, give } = await clubFor(t);
  for (let at = 0; at < 10; at += 1) {
    time.nowMs += 100;
    const { status, headers } = await give(at);
    assert.equal(status, 200);
    assert.equal(headers.get('x-ratelimit-limit'), '10');
    assert.equal(headers.get('x-ratelimit-remaining'), String(9 - at));
    assert.equal(headers.get('x-ratelimit-reset-after'), (10 - at / 10).toFixed(3));
  }
  const { status, headers, body } = await give(10);
  assert.equal(status, 429);
  assert.deepEqual(body, { message: 'You are being rate limited.', retry_after: 9.1, global: false });
  assert.equal(headers.get('retry-after'), '10');
  assert.equal(headers.get('x-ratelimit-scope'), 'user');
  assert.ok(!headers.has('x-ratelimit-global'));

  const other = emulator.createGuild({ name: 'Dog Club' });
  const { user } = emulator.addMember(other.id);
  assert.equal((await ask(emulator, `PATCH /guilds/${other.id}/members/${user.id}`, { roles: [] })).status, 200);
  time.nowMs += 9_099;
  assert.equal((await give(10)).status, 429);
  time.nowMs += 1;
  assert.equal((await give(10)).status, 200);
  assert.equal(emulator.counts().rateLimited, 2);
});

test('adding and removing a role share a bucket that PATCH does not use', async (t) => {
  const { emulator, guild, role, members, give } = await clubFor(t);
  const path = `/guilds/${guild.id}/members/${members[0]?.user.id}/roles/${role.id}`;
  const put = await ask(emulator, `PUT ${path}`);
  const taken = await ask(emulator, `DELETE ${path}`);
  const patch = await give(0);
  assert.equal(put.headers.get('x-ratelimit-bucket'), taken.headers.get('x-ratelimit-bucket'));
  assert.notEqual(put.headers.get('x-ratelimit-bucket'), patch.headers.get('x-ratelimit-bucket'));
  assert.equal(taken.headers.get('x-ratelimit-remaining'), '8');
  assert.equal(patch.headers.get('x-ratelimit-remaining'), '9');
});

test('a bot may make fifty requests per second in total, on any route', async (t) => {
  const { time, emulator, guild } = await clubFor(t);
  const paths = ['/users/@me', `/guilds/${guild.id}`, `/guilds/${guild.id}/roles`];
  const requested = await Promise.all(Array.from({ length: 51 }, (_, at) => ask(emulator, `GET ${paths[at % 3]}`)));
  const refused = requested.filter(({ status }) => status === 429);
  assert.equal(refused.length, 1);
  assert.equal(refused[0]?.body.global, true);
  assert.equal(refused[0]?.headers.get('x-ratelimit-global'), 'true');
  assert.equal(refused[0]?.headers.get('x-ratelimit-scope'), 'global');
  const other = emulator.createApplication({ name: 'Other' });
  const headers = { authorization: `Bot ${other.token}` };
  assert.equal((await ask(emulator, 'GET /users/@me', undefined, headers)).status, 200, 'each bot has its own');
  time.nowMs += 1000;
  assert.equal((await ask(emulator, 'GET /users/@me')).status, 200);
});

test('too many bad requests cause a global ban, until the window ends', async (t) => {
  const invalidRequests = { limit: 5, windowSeconds: 600 };
  const { time, emulator } = await clubFor(t, { invalidRequests });
  emulator.misbehave({ kind: 'rate-limit', scope: 'shared', count: 20 });
  for (let at = 0; at < 20; at += 1) assert.equal((await ask(emulator, 'GET /users/@me')).status, 429);
  assert.equal(emulator.counts().invalid, 0, 'shared limits do not count');
  for (let at = 0; at < 5; at += 1) assert.equal((await ask(emulator, 'GET /users/@me', undefined, {})).status, 401);
  assert.equal(emulator.counts().invalid, 5);
  const { status, headers, body } = await ask(emulator, 'GET /users/@me');
  assert.equal(status, 429);
  assert.match(body, /1015/);
  assert.equal(headers.get('content-type'), 'text/html; charset=UTF-8');
  assert.equal(headers.get('retry-after'), '600');
  time.nowMs += 600_000;
  assert.equal((await ask(emulator, 'GET /users/@me')).status, 200);
});

test('@discordjs/rest learns the bucket from the headers and is never refused', async (t) => {
  const emulator = await emulatorFor(t, { limits: { buckets: { 'member-write': { limit: 10, windowSeconds: 0.3 } } } });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const role = emulator.createRole(guild.id, { name: 'Holder' });
  const members = Array.from({ length: 35 }, () => emulator.addMember(guild.id));
  const rest = new REST({ api: emulator.url, offset: 20 }).setToken(emulator.application.token);
  const body = { roles: [role.id] };
  await Promise.all(members.map(({ user }) => rest.patch(`/guilds/${guild.id}/members/${user.id}`, { body })));
  assert.ok(members.every(({ roles }) => roles.has(role.id)));
  assert.deepEqual([emulator.counts().rateLimited, emulator.counts().noOpWrites], [0, 0]);
});

test('a limit of the resource has the headers of the bucket, which still has room', async (t) => {
  const { emulator, guild } = await clubFor(t);
  emulator.misbehave({ kind: 'rate-limit', scope: 'shared', retryAfterSeconds: 60, count: 1 });
  const { status, headers, body } = await ask(emulator, `GET /guilds/${guild.id}/members?limit=1`);
  assert.deepEqual([status, body.message, body.retry_after], [429, 'The resource is being rate limited.', 60]);
  assert.deepEqual([headers.get('x-ratelimit-scope'), headers.get('retry-after')], ['shared', '60']);
  assert.ok(Number(headers.get('x-ratelimit-remaining')) > 0);
  const next = await ask(emulator, `GET /guilds/${guild.id}/members?limit=1`);
  assert.equal(next.headers.get('x-ratelimit-bucket'), headers.get('x-ratelimit-bucket'));
});

test('the 251st role of a guild is refused, not counting @everyone', async (t) => {
  const { emulator, guild } = await clubFor(t);
  while (guild.roles.size < 250) emulator.createRole(guild.id, { name: 'Role' });
  const create = () => ask(emulator, `POST /guilds/${guild.id}/roles`, { name: 'Last' });
  assert.equal((await create()).status, 200);
  const { status, body } = await create();
  assert.deepEqual([status, body.code], [400, 30005]);
});
