import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { OpenShard } from '@latchkey/core/ports';
import { startDiscordEmulator } from '@latchkey/emulators/discord';
import type { Log } from '@latchkey/kernel';
import { seed, until } from '@latchkey/test-kit';
import { VirtualTime } from '../testing/virtual-time.ts';
import { createDiscordGateway, endsSession, fatalReason } from './create-gateway.ts';

interface Line {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

async function start(t: TestContext) {
  const emulator = await startDiscordEmulator({ seed: 'reconnect', limits: { identifySeconds: 0 } });
  const lines: Line[] = [];
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      void lines.push({ level, message, fields });
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    for: () => log,
  };
  const time = new VirtualTime();
  const gateway = createDiscordGateway({
    fetch,
    permit: async () => undefined,
    token: emulator.application.token,
    apiUrl: emulator.url,
    log,
    random: drawn(),
    time,
  });
  const failures: { reason: string; closeCode: number | undefined }[] = [];
  let shard: OpenShard | undefined;
  t.after(async () => {
    await shard?.close();
    await emulator.stop();
  });
  const open = () => {
    shard = gateway.openShard({
      shardId: 0,
      shardCount: 1,
      session: undefined,
      mayBegin: async () => undefined,
      onEvent: () => undefined,
      onFailed: (reason, closeCode) => void failures.push({ reason, closeCode }),
    });
  };
  const { metrics } = emulator.gateway;
  return { emulator, time, lines, failures, metrics, open };
}

/** Deterministic bytes for the seed. */
function drawn() {
  let count = 0;
  const bytes = (length: number) => {
    count += 1;
    return createHash('sha256')
      .update(`${seed('reconnect')} ${count}`)
      .digest()
      .subarray(0, length);
  };
  return { bytes };
}

test('a gateway that keeps disconnecting is contacted less and less often, with warnings', async (t) => {
  const { emulator, time, lines, metrics, open } = await start(t);
  emulator.misbehave({ kind: 'close', code: 4002 });
  const startedMs = time.nowMs();
  open();
  const reconnects = () => lines.filter(({ message }) => message.includes('reconnecting')).length;
  // Time jumps to the next reconnect only after the previous connection was closed.
  const passed = until('55 seconds passed', () => time.nowMs() - startedMs > 55_000);
  await time.play(passed, () => reconnects() < metrics.connected);
  assert.ok(metrics.connected >= 4, `${metrics.connected} connections`);
  assert.ok(metrics.connected <= 20, `${metrics.connected} connections in 55 seconds`);
  const closed = lines.filter(({ fields }) => fields.closeCode === 4002);
  assert.ok(closed.length > 0 && closed.every(({ level }) => level === 'warn'));
  emulator.behave();
});

test('a permanently rejected shard is not opened again', async (t) => {
  const { emulator, time, failures, metrics, open } = await start(t);
  emulator.misbehave({ kind: 'close', code: 4014 });
  open();
  await until('the shard gave up', () => failures.length > 0);
  assert.deepEqual(
    failures.map(({ closeCode }) => closeCode),
    [4014],
  );
  assert.match(failures[0]?.reason ?? '', /Server Members Intent/);
  // The library waits half a second before it reconnects; another jump in time must not cause a reconnect either.
  await time.play(new Promise((resolve) => setTimeout(resolve, 700)));
  assert.equal(metrics.connected, 1);
});

test('a session that timed out is started again, and one that was rate-limited is resumed', async (t) => {
  const { emulator, time, metrics, open } = await start(t);
  open();
  const play = (until: Promise<unknown>) => time.play(until);
  await play(until('it began', () => metrics.identified === 1 && emulator.gateway.shards().length === 1));
  emulator.gateway.disconnect(4008);
  await play(until('it resumed', () => metrics.resumed === 1 && emulator.gateway.shards().length === 1));
  emulator.gateway.disconnect(4009);
  await play(until('it began anew', () => metrics.identified === 2 && emulator.gateway.shards().length === 1));
  assert.equal(metrics.resumed, 1);
});

/** Opens a shard whose gateway accepts the connection and then sends nothing. */
async function openSilentShard(t: TestContext) {
  const accepted = Promise.withResolvers<Socket>();
  const silent = createServer((socket) => accepted.resolve(socket.on('error', () => undefined).resume()));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const starts = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 };
  const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, for: () => log };
  const shard = createDiscordGateway({
    fetch: async () => Response.json({ url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit: starts }),
    permit: async () => undefined,
    token: 'token',
    log,
    random: drawn(),
  }).openShard({
    shardId: 0,
    shardCount: 1,
    session: undefined,
    mayBegin: async () => undefined,
    onEvent: ignore,
    onFailed: ignore,
  });
  return { shard, socket: await accepted.promise };
}

const ignore = () => undefined;

test('a shard that is closed during the handshake ends its connection', async (t) => {
  const { shard, socket } = await openSilentShard(t);
  const ended = once(socket, 'close');
  await shard.close();
  await ended;
});

test('a connection that is reset while its shard is being closed does not end the process', async (t) => {
  const { shard, socket } = await openSilentShard(t);
  socket.resetAndDestroy();
  await shard.close();
  // The reset reaches this process through the event loop; a new connection through the same loop comes after it.
  const later = createServer().listen(0, '127.0.0.1');
  await once(later, 'listening');
  const { port } = later.address() as AddressInfo;
  const ours = connect(port, '127.0.0.1');
  await once(ours, 'connect');
  ours.destroy();
  later.close();
});

test('close codes mean what Discord documents', () => {
  const codes = Array.from({ length: 20 }, (_, index) => 4000 + index);
  assert.deepEqual(
    codes.filter((code) => fatalReason(code) !== undefined),
    [4004, 4010, 4011, 4012, 4013, 4014],
  );
  assert.deepEqual(
    codes.filter((code) => endsSession(code) && fatalReason(code) === undefined),
    [4003, 4007, 4009],
  );
  assert.ok(!endsSession(1006));
});
