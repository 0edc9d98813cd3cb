import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { DiscordEvent, DiscordGateway, OpenShard, ShardSession } from '@latchkey/core/ports';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import type { Log } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { createDiscordGateway } from './create-gateway.ts';

const random = { bytes: (length: number) => randomBytes(length) };

describe('the Discord gateway', () => {
  let emulator: DiscordEmulator;
  let gateway: DiscordGateway;
  let shard: OpenShard;
  const events: DiscordEvent[] = [];
  const lines: string[] = [];
  const write = (message: string, fields?: Record<string, unknown>) =>
    void lines.push(JSON.stringify({ message, ...fields }));
  const log: Log = { debug: write, info: write, warn: write, error: write, for: () => log };
  let last: ShardSession | undefined;
  const options = {
    shardId: 0,
    shardCount: 1,
    session: undefined,
    mayBegin: async () => undefined,
    onFailed: (reason: string) => void lines.push(reason),
    onEvent: (event: DiscordEvent | undefined, session: ShardSession) => {
      last = session;
      if (event !== undefined) events.push(event);
    },
  };
  before(async () => {
    emulator = await startDiscordEmulator({ seed: 'gateway', limits: { identifySeconds: 0 } });
    gateway = createDiscordGateway({
      fetch,
      permit: async () => undefined,
      token: emulator.application.token,
      apiUrl: emulator.url,
      log,
      random,
    });
    shard = gateway.openShard(options);
  });
  after(async () => {
    await shard.close();
    await emulator.stop();
  });

  const seen = (isIt: (event: DiscordEvent) => boolean) => until(`an event comes: ${isIt}`, () => events.find(isIt));

  test('reports who joined, changed, wrote and left', async () => {
    const guildId = emulator.createGuild({ name: 'Guild' }).id;
    await seen((event) => event.kind === 'guild-joined' && event.guildId === guildId);
    const role = emulator.createRole(guildId, { name: 'Holder' }).id;
    const { user, joinedAt } = emulator.addMember(guildId, { name: 'ada' });
    const userId = user.id;
    const isOf = (kind: DiscordEvent['kind']) => (event: DiscordEvent) =>
      event.kind === kind && 'userId' in event && event.userId === userId;
    assert.deepEqual(await seen(isOf('member-joined')), {
      kind: 'member-joined',
      guildId,
      userId,
      userName: 'ada',
      roleIds: [],
      isBot: false,
      joinedAt: new Date(joinedAt),
    });
    emulator.setMemberRoles(guildId, userId, [role]);
    const updated = await seen(isOf('member-updated'));
    assert.deepEqual('roleIds' in updated && updated.roleIds, [role]);
    const channelId = [...emulator.getGuild(guildId).channels.keys()][0] ?? '';
    emulator.speak(userId, channelId, 'hello');
    await seen(isOf('message'));
    emulator.removeMember(guildId, userId);
    await seen(isOf('member-left'));
  });

  test('reports changed roles', async () => {
    const guildId = emulator.createGuild({ name: 'Powers' }).id;
    const roleId = emulator.createRole(guildId, { name: 'Staff' }).id;
    await seen((event) => event.kind === 'guild-joined' && event.guildId === guildId);
    emulator.setPermissions(guildId, roleId, ['BAN_MEMBERS']);
    const isIt = (event: DiscordEvent) => event.kind === 'role-updated' && event.roleId === roleId;
    assert.deepEqual(await seen(isIt), { kind: 'role-updated', guildId, roleId });
  });

  test('reports Discord’s recommended gateway settings', async () => {
    emulator.limits.shards = 3;
    const { shards, maxConcurrency, sessionStarts } = await gateway.readGatewayInfo();
    assert.deepEqual([shards, maxConcurrency, sessionStarts.total], [3, 1, 1000]);
    assert.ok(sessionStarts.remaining < 1000, 'a session was started');
  });

  test('closing a shard leaves its session to the next process, which misses nothing', async () => {
    const guildId = emulator.createGuild({ name: 'Moving' }).id;
    await seen((event) => event.kind === 'guild-joined' && event.guildId === guildId);
    const { identified, resumed } = emulator.gateway.metrics;
    await shard.close();
    await until('Discord saw it disconnect', () => emulator.gateway.connections() === 0);
    const userId = emulator.addMember(guildId, { name: 'meanwhile' }).user.id;
    shard = gateway.openShard({ ...options, session: last });
    await seen((event) => event.kind === 'member-joined' && event.userId === userId);
    assert.deepEqual(
      [emulator.gateway.metrics.identified, emulator.gateway.metrics.resumed],
      [identified, resumed + 1],
    );
  });

  test('resumes its session after Discord was unreachable', async () => {
    const guildId = emulator.createGuild({ name: 'Outage' }).id;
    await seen((event) => event.kind === 'guild-joined' && event.guildId === guildId);
    const { identified } = emulator.gateway.metrics;
    const failed = () => lines.filter((line) => line.includes('The connection to the Discord gateway failed.')).length;
    const before = failed();
    emulator.misbehave({ kind: 'outage' });
    const userId = emulator.addMember(guildId, { name: 'unheard' }).user.id;
    await until('a reconnect failed', () => failed() > before);
    emulator.behave();
    await seen((event) => event.kind === 'member-joined' && event.userId === userId);
    assert.equal(emulator.gateway.metrics.identified, identified);
  });

  test('an invalidated session is started again, and a rejected shard says why', async () => {
    const { identified } = emulator.gateway.metrics;
    emulator.gateway.forgetSessions();
    emulator.gateway.cut();
    await until('it began anew', () => emulator.gateway.metrics.identified > identified);
    const stranger = createDiscordGateway({
      fetch,
      permit: async () => undefined,
      token: 'wrong',
      apiUrl: emulator.url,
      log,
      random,
    });
    await assert.rejects(stranger.readGatewayInfo());
    const failed = Promise.withResolvers<string>();
    const turnedAway = gateway.openShard({ ...options, shardId: 5, shardCount: 5, onFailed: failed.resolve });
    assert.match(await failed.promise, /shard/i);
    await turnedAway.close();
    assert.ok(!lines.join().includes(emulator.application.token));
  });
});
