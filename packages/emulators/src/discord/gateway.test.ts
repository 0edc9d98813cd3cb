import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { intents } from './intents.ts';
import type { DiscordEmulator } from './start.ts';
import { ask, emulatorFor, eventually } from './testing.ts';

interface Frame {
  op: number;
  t: string | null;
  s: number | null;
  d: ReturnType<typeof JSON.parse>;
}

/** A bot that speaks the gateway protocol directly. */
async function connect(t: TestContext, emulator: DiscordEmulator, version = 10) {
  const socket = new WebSocket(`${emulator.gatewayUrl}/?v=${version}&encoding=json`);
  const frames: Frame[] = [];
  let closeCode: number | undefined;
  socket.on('message', (data) => frames.push(JSON.parse(data.toString())));
  socket.on('close', (code) => {
    closeCode = code;
  });
  t.after(() => socket.terminate());
  await eventually(() => frames.length > 0 || closeCode !== undefined);
  const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }));
  return {
    frames,
    socket,
    send,
    identify: (wanted: number, token = emulator.application.token, shard?: [id: number, count: number]) =>
      send(2, { token, intents: wanted, shard, properties: { os: 'linux', browser: 'test', device: 'test' } }),
    event: (name: string) => eventually(() => frames.find((frame) => frame.t === name)),
    named: (name: string) => frames.filter((frame) => frame.t === name),
    closed: () => eventually(() => closeCode),
  };
}

const everything = intents.guilds | intents.members | intents.messages | intents.messageContent;

test('a bot gets a hello, identifies and receives events in sequence', async (t) => {
  const emulator = await emulatorFor(t);
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const bot = await connect(t, emulator);
  assert.deepEqual([bot.frames[0]?.op, bot.frames[0]?.d], [10, { heartbeat_interval: 41_250 }]);
  bot.send(1, null);
  await eventually(() => bot.frames.some(({ op }) => op === 11));
  bot.identify(everything);
  const ready = await bot.event('READY');
  assert.deepEqual(ready.d.guilds, [{ id: guild.id, unavailable: true }]);
  assert.equal((await bot.event('GUILD_CREATE')).d.member_count, 2);
  const ann = emulator.addMember(guild.id, { name: 'ann' });
  emulator.createRole(guild.id, { name: 'Holder' });
  emulator.removeMember(guild.id, ann.user.id);
  await bot.event('GUILD_MEMBER_REMOVE');
  const sequences = bot.frames.flatMap(({ s }) => s ?? []);
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => index + 1),
  );
  const far = emulator.createGuild({ name: 'Dog Club', bot: false });
  emulator.addMember(far.id, { name: 'rex' });
  const late = emulator.createGuild({ name: 'Late Club' });
  await eventually(() => bot.named('GUILD_CREATE').some(({ d }) => d.id === late.id));
  assert.ok(!bot.frames.some(({ d }) => d?.user?.username === 'rex'), 'it receives no events of other guilds');
});

test('without the intent no member events are sent, and content stays hidden', async (t) => {
  const emulator = await emulatorFor(t);
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const [channelId = ''] = guild.channels.keys();
  const hidden = emulator.createChannel(guild.id, { name: 'hidden' });
  emulator.setOverwrite(hidden.id, { userId: emulator.application.id }, { deny: ['VIEW_CHANNEL'] });
  const bot = await connect(t, emulator);
  bot.identify(intents.guilds | intents.messages);
  await bot.event('GUILD_CREATE');
  const ann = emulator.addMember(guild.id, { name: 'ann' });
  emulator.speak(ann.user.id, hidden.id, 'a secret');
  emulator.speak(ann.user.id, channelId, 'hello');
  const message = await bot.event('MESSAGE_CREATE');
  assert.deepEqual([message.d.channel_id, message.d.content, message.d.author.username], [channelId, '', 'ann']);
  assert.equal(bot.named('GUILD_MEMBER_ADD').length, 0);
});

test('the gateway closes connections of strangers, disallowed intents, garbage and floods', async (t) => {
  const emulator = await emulatorFor(t, { limits: { gatewaySends: { limit: 5, windowSeconds: 60 } } });
  const stranger = await connect(t, emulator);
  stranger.identify(everything, 'wrong');
  assert.equal(await stranger.closed(), 4004);
  emulator.application.privilegedIntents = intents.members;
  const greedy = await connect(t, emulator);
  greedy.identify(everything);
  assert.equal(await greedy.closed(), 4014);
  const odd = await connect(t, emulator);
  odd.identify(-1);
  assert.equal(await odd.closed(), 4013);
  const early = await connect(t, emulator);
  early.send(8, {});
  assert.equal(await early.closed(), 4003);
  const garbled = await connect(t, emulator);
  garbled.socket.send('{');
  assert.equal(await garbled.closed(), 4002);
  const flood = await connect(t, emulator);
  for (let sent = 0; sent < 6; sent += 1) flood.send(1, null);
  assert.equal(await flood.closed(), 4008);
});

test('a bot resumes where it was; a dropped session is invalid', async (t) => {
  const emulator = await emulatorFor(t);
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const first = await connect(t, emulator);
  first.identify(everything);
  const ready = await first.event('READY');
  await first.event('GUILD_CREATE');
  const seq = Math.max(...first.frames.map(({ s }) => s ?? 0));
  emulator.gateway.disconnect(4000);
  assert.equal(await first.closed(), 4000);
  emulator.addMember(guild.id, { name: 'ann' });
  const resumption = { token: emulator.application.token, session_id: ready.d.session_id, seq };
  const second = await connect(t, emulator);
  second.send(6, resumption);
  await second.event('RESUMED');
  assert.deepEqual(
    second.frames.filter(({ op }) => op === 0).map((frame) => [frame.t, frame.s]),
    [
      ['GUILD_MEMBER_ADD', seq + 1],
      ['RESUMED', seq + 2],
    ],
  );
  emulator.gateway.forgetSessions();
  const third = await connect(t, emulator);
  third.send(6, resumption);
  const invalid = await eventually(() => third.frames.find(({ op }) => op === 9));
  assert.equal(invalid.d, false);
});

test('the whole member list comes in chunks, once in thirty seconds', async (t) => {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  for (let count = 0; count < 2300; count += 1) emulator.addMember(guild.id);
  const bot = await connect(t, emulator);
  bot.identify(everything);
  await bot.event('GUILD_CREATE');
  const all = { guild_id: guild.id, query: '', limit: 0, nonce: 'n1' };
  bot.send(8, all);
  await eventually(() => bot.named('GUILD_MEMBERS_CHUNK').length === 3);
  const chunks = bot.named('GUILD_MEMBERS_CHUNK').map(({ d }) => d);
  assert.deepEqual(
    chunks.map(({ members }) => members.length),
    [1000, 1000, 302],
  );
  assert.deepEqual(chunks.map((chunk) => [chunk.chunk_index, chunk.chunk_count, chunk.nonce])[2], [2, 3, 'n1']);
  time.nowMs += 12_000;
  bot.send(8, all);
  const limited = await bot.event('RATE_LIMITED');
  assert.deepEqual(limited.d, { opcode: 8, retry_after: 18, meta: { guild_id: guild.id, nonce: 'n1' } });
  bot.send(8, { guild_id: guild.id, user_ids: [guild.ownerId, '100000000000000000'] });
  await eventually(() => bot.named('GUILD_MEMBERS_CHUNK').length === 4);
  assert.deepEqual(bot.named('GUILD_MEMBERS_CHUNK')[3]?.d.not_found, ['100000000000000000']);
  time.nowMs += 18_000;
  bot.send(8, all);
  await eventually(() => bot.named('GUILD_MEMBERS_CHUNK').length === 7);
});

test('a person writes to the bot in private, and the bot is asked to reconnect', async (t) => {
  const emulator = await emulatorFor(t);
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const { user } = emulator.addMember(guild.id, { name: 'ann' });
  const other = emulator.createApplication({ name: 'Other' });
  const bot = await connect(t, emulator);
  bot.identify(intents.guilds | intents.directMessages);
  await bot.event('READY');
  const deaf = await connect(t, emulator);
  deaf.identify(intents.directMessages, other.token);
  await deaf.event('READY');
  emulator.speakToBot(user.id, 'psst');
  const message = await bot.event('MESSAGE_CREATE');
  assert.deepEqual([message.d.content, message.d.guild_id], ['psst', undefined]);
  emulator.gateway.askToReconnect();
  await eventually(() => deaf.frames.some(({ op }) => op === 7));
  assert.equal(deaf.named('MESSAGE_CREATE').length, 0, 'a bot does not receive messages to another bot');
  emulator.removeMember(guild.id, emulator.application.id);
  assert.equal((await bot.event('GUILD_DELETE')).d.id, guild.id);
});

test('sessions start one after the other per key, and resuming is free', async (t) => {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs, limits: { shards: 4, maxConcurrency: 2 } });
  const open = async (id: number) => {
    const bot = await connect(t, emulator);
    bot.identify(everything, emulator.application.token, [id, 4]);
    return bot;
  };
  const [zero, one] = [await open(0), await open(1)];
  const ready = await zero.event('READY');
  await one.event('READY');
  const early = await open(2);
  assert.equal((await eventually(() => early.frames.find(({ op }) => op === 9))).d, false);
  time.nowMs += 5_000;
  await (await open(2)).event('READY');
  zero.socket.terminate();
  await eventually(() => !emulator.gateway.shards().includes(0));
  const back = await connect(t, emulator);
  back.send(6, { token: emulator.application.token, session_id: ready.d.session_id, seq: 1 });
  await back.event('RESUMED');
  assert.deepEqual(emulator.gateway.metrics, { connected: 5, identified: 3, refused: 1, resumed: 1 });
  assert.deepEqual(emulator.gateway.shards().toSorted(), [0, 1, 2]);
  const report = await ask(emulator, 'GET /gateway/bot');
  assert.deepEqual(report.body.session_start_limit, {
    total: 1000,
    remaining: 997,
    reset_after: 24 * 60 * 60 * 1000 - 5_000,
    max_concurrency: 2,
  });
  assert.equal(report.body.shards, 4);
});

test('a clean close ends a session, any other close keeps it', async (t) => {
  const emulator = await emulatorFor(t, { limits: { identifySeconds: 0 } });
  const sessionOf = async (code: number) => {
    const bot = await connect(t, emulator);
    bot.identify(everything);
    const { d } = await bot.event('READY');
    bot.socket.close(code);
    await eventually(() => emulator.gateway.shards().length === 0);
    return { token: emulator.application.token, session_id: d.session_id, seq: 1 };
  };
  const kept = await connect(t, emulator);
  kept.send(6, await sessionOf(4200));
  await kept.event('RESUMED');
  kept.socket.terminate();
  await eventually(() => emulator.gateway.shards().length === 0);
  const ended = await connect(t, emulator);
  ended.send(6, await sessionOf(1000));
  assert.equal((await eventually(() => ended.frames.find(({ op }) => op === 9))).d, false);
});

test('a bot that starts too many sessions in a day loses them all, and its token', async (t) => {
  const sessionStarts = { limit: 2, windowSeconds: 86_400 };
  const emulator = await emulatorFor(t, { limits: { identifySeconds: 0, sessionStarts } });
  const { token } = emulator.application;
  const bots = [await connect(t, emulator), await connect(t, emulator), await connect(t, emulator)];
  for (const bot of bots) bot.identify(everything, token);
  assert.deepEqual(await Promise.all(bots.map((bot) => bot.closed())), [4004, 4004, 4004]);
  assert.equal((await ask(emulator, 'GET /gateway/bot', undefined, { authorization: `Bot ${token}` })).status, 401);
  assert.notEqual(emulator.application.token, token);
});

test('a shard with too many guilds is refused, and each guild has one shard', async (t) => {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const emulator = await emulatorFor(t, { clock: () => time.nowMs, limits: { guildsPerShard: 3, maxConcurrency: 16 } });
  const guilds = Array.from({ length: 6 }, (_, n) => {
    // The shard of a guild follows from the millisecond in which it was created.
    time.nowMs += 1;
    return emulator.createGuild({ name: `Guild ${n}` }).id;
  });

  const whole = await connect(t, emulator);
  whole.identify(everything);
  assert.equal(await whole.closed(), 4011);
  const received = await Promise.all(
    Array.from({ length: 16 }, async (_, id) => {
      const bot = await connect(t, emulator);
      bot.identify(everything, emulator.application.token, [id, 16]);
      const { d } = await bot.event('READY');
      return d.guilds.map((guild: { id: string }) => guild.id);
    }),
  );
  assert.deepEqual(received.flat().toSorted(), guilds.toSorted());
});

test('a guild outage hides the guild and ends with the guild as it was; bans remove members', async (t) => {
  const emulator = await emulatorFor(t, { limits: { identifySeconds: 0 } });
  const guild = emulator.createGuild({ name: 'Cat Club' });
  const ann = emulator.addMember(guild.id, { name: 'ann' });
  const bot = await connect(t, emulator);
  bot.identify(everything | intents.moderation);
  await bot.event('GUILD_CREATE');
  emulator.setUnavailable(guild.id, true);
  assert.deepEqual((await bot.event('GUILD_DELETE')).d, { id: guild.id, unavailable: true });
  assert.equal((await ask(emulator, `GET /guilds/${guild.id}`)).status, 500);
  assert.deepEqual((await ask(emulator, 'GET /users/@me/guilds')).body, []);
  const late = await connect(t, emulator);
  late.identify(everything);
  assert.deepEqual((await late.event('READY')).d.guilds, [{ id: guild.id, unavailable: true }]);
  assert.deepEqual(late.named('GUILD_CREATE'), []);
  emulator.setUnavailable(guild.id, false);
  await late.event('GUILD_CREATE');
  await eventually(() => bot.named('GUILD_CREATE').length === 2);
  assert.deepEqual(bot.named('GUILD_MEMBER_REMOVE'), []);

  emulator.ban(guild.id, ann.user.id);
  assert.equal((await bot.event('GUILD_BAN_ADD')).d.user.id, ann.user.id);
  assert.equal((await bot.event('GUILD_MEMBER_REMOVE')).d.user.id, ann.user.id);
  assert.throws(() => emulator.addMember(guild.id, { id: ann.user.id }), /banned/);
  emulator.unban(guild.id, ann.user.id);
  await bot.event('GUILD_BAN_REMOVE');
  emulator.addMember(guild.id, { id: ann.user.id });
  await bot.event('GUILD_MEMBER_ADD');
});

test('a version that Discord does not serve is refused, by the gateway and by REST', async (t) => {
  const emulator = await emulatorFor(t);
  assert.equal(await (await connect(t, emulator, 5)).closed(), 4012);
  const authorization = `Bot ${emulator.application.token}`;
  const statusOf = async (path: string) => {
    const response = await fetch(`${emulator.url}${path}`, { headers: { authorization } });
    return [response.status, Object(await response.json()).code];
  };
  assert.deepEqual(await statusOf('/v5/users/@me'), [400, 50041]);
  assert.deepEqual(await statusOf('/v11/users/@me'), [400, 50041]);
  for (const path of ['/v9/users/@me', '/users/@me']) assert.deepEqual((await statusOf(path))[0], 200);
});
