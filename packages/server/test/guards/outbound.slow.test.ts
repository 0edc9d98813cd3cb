import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { someAddresses } from '@latchkey/chains/testing';
import { createTestDatabase } from '@latchkey/db/testing';
import { startTelegramEmulator } from '@latchkey/emulators/telegram';
import { until, volume } from '@latchkey/test-kit';
import { catchCalls } from '../harness/catch-calls.ts';
import { fillGuild, gateGuild, holdersOf, keyRule, openPlatform, startGatedWorld } from '../harness/gated-world.ts';
import { recordOutbound, strayConnections } from '../harness/outbound.ts';
import { startLatchkey } from '../harness/processes.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

test('a connection that bypasses egress is detected, by fetch, net, tls, http and UDP', async () => {
  await using record = await recordOutbound();
  await using receiver = await catchCalls();
  const { port } = new URL(receiver.url);
  const env = { ...process.env, ...record.environment };
  const run = (code: string) =>
    new Promise((ended) => execFile(process.execPath, ['--input-type=module', '-e', code], { env }, ended));
  const ways = [
    `await fetch('http://127.0.0.1:${port}/')`,
    `(await import('node:net')).connect(${port}, '127.0.0.1').end()`,
    `(await import('node:net')).connect({ port: ${port}, host: '127.0.0.1' }).end()`,
    `(await import('node:tls')).connect({ port: ${port}, host: '127.0.0.1' }).on('error', () => undefined)`,
    `(await import('node:http')).get('http://127.0.0.1:${port}/', (answer) => answer.resume())`,
  ];
  for (const way of ways) {
    const before = (await record.read()).length;
    await run(way);
    const lines = (await record.read()).slice(before);
    assert.deepEqual(
      strayConnections(lines, [receiver.url]),
      [`127.0.0.1:${port} was connected to without egress`],
      way,
    );
  }
  const before = (await record.read()).length;
  await run(
    `const s = (await import('node:dgram')).createSocket('udp4'); s.send('x', ${port}, '127.0.0.1', () => s.close());`,
  );
  assert.equal(strayConnections((await record.read()).slice(before), []).length, 1);
  const passed = { pid: 1, passed: { rule: 'configured', host: '10.0.0.1', port: 443 } } as const;
  const connected = { pid: 1, host: '10.0.0.1', port: 443 };
  assert.deepEqual(strayConnections([passed, connected], ['https://10.0.0.1/']), []);
  assert.deepEqual(strayConnections([passed, connected], ['https://10.0.0.2/']), ['10.0.0.1:443 is not configured']);
  assert.equal(strayConnections([passed, { ...connected, pid: 2 }], ['https://10.0.0.1/']).length, 1);
});

test('where no network namespace can be created, the recorder refuses outside connections', async () => {
  await using record = await recordOutbound({ isLoopbackOnly: true });
  const env = { ...process.env, ...record.environment };
  const code = `await fetch('http://192.0.2.1/').catch((error) => console.log(error.cause?.code))`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' });
  assert.equal(stdout.trim(), 'ENETUNREACH');
  assert.deepEqual(strayConnections(await record.read()), ['192.0.2.1:80 was connected to without egress']);
});

test('every connection of a worker goes through egress, to a configured host or through the guard', async (t) => {
  await using cleanUp = new AsyncDisposableStack();
  const record = cleanUp.use(await recordOutbound());
  const database = await createTestDatabase({ name: 'outbound', migrate: true });
  cleanUp.defer(() => database.drop());
  const world = cleanUp.use(await startGatedWorld({ areLimitsWide: true }));
  const telegram = await startTelegramEmulator();
  cleanUp.defer(() => telegram.stop());
  const collector = cleanUp.use(await catchCalls());
  const { chain, discord } = world;
  const addresses = someAddresses(4);
  const guild = fillGuild(discord, addresses);
  await chain.mintKeys(addresses);
  const environment = {
    ...world.environment,
    LATCHKEY_TELEGRAM_BOT_TOKEN: telegram.bot.token,
    LATCHKEY_TELEGRAM_API_URL: telegram.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace(/\/$/, ''),
  };
  const { services, close } = await openPlatform(database.url, world.environment);
  await gateGuild(services, guild, [keyRule(chain, guild.roleIds[0] ?? '')]);
  await close();
  const worker = cleanUp.use(
    startLatchkey(['worker'], { ...environment, DATABASE_URL: database.url, ...record.environment }),
  );
  await worker.printed(/worker is running/);
  const role = guild.roleIds[0] ?? '';
  await until('every holder has the role', () => holdersOf(discord, guild, role).length === addresses.length);
  await until('Telegram is asked for updates', () => telegram.counts().requests > 0);
  await worker.stop();

  const lines = await record.read();
  const configured = [chain.url, discord.url, telegram.url, collector.url, database.url];
  assert.deepEqual(strayConnections(lines, configured), []);
  const reached = new Set(lines.map(({ host, port }) => `${host}:${port}`));
  for (const url of [chain.url, discord.url, telegram.url, collector.url])
    assert.ok(reached.has(new URL(url).host), url);
  t.diagnostic(`${lines.filter(({ host }) => host !== undefined).length} connections to ${reached.size} targets`);
});

/** In its own namespace, a process has no network but loopback. */
const alone = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
const suites = volume(0, 1) === 0 ? [] : ['packages/server', 'packages/core', 'packages/chains', 'packages/platforms'];
const skip = suites.length === 0 && 'the deep run does it';

test('the suites pass without internet access, and only egress tries to reach it', {
  skip,
}, async () => {
  // If no namespace can be created, the recorder refuses every connection that would leave this machine.
  const hasNamespaces = spawnSync('unshare', [...alone, 'true']).status === 0;
  await using record = await recordOutbound({ isLoopbackOnly: !hasNamespaces });
  const env = { ...process.env, ...record.environment, LATCHKEY_TEST_VOLUME: 'usual', NODE_TEST_CONTEXT: undefined };
  const run = [process.execPath, 'scripts/run.mjs', 'test', ...suites];
  const [command = '', ...args] = hasNamespaces ? ['unshare', ...alone, ...run] : run;
  const { status, stdout } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const isLocal = /^(localhost|127\.[\d.]+|::1|::ffff:(127\.[\d.]+|7f[\da-f]{2}:[\da-f]{1,4})|0\.0\.0\.0|::)$/;
  const lines = await record.read();
  const away = lines.filter(({ host, passed }) => passed !== undefined || !isLocal.test(host ?? 'localhost'));
  assert.deepEqual(strayConnections(away), []);
  assert.equal(status, 0, stdout.slice(-4_000));
});
