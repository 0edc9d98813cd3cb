import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createTestDatabase } from '@latchkey/db/testing';
import { startTelegramEmulator } from '@latchkey/emulators/telegram';
import { until, volume } from '@latchkey/test-kit';
import { megabytesOf } from '../harness/memory.ts';
import { freePorts, startLatchkey } from '../harness/processes.ts';

const starts = volume(0, 4);
const mostMegabytes = 160;
const why =
  process.platform !== 'linux'
    ? 'reads /proc'
    : starts === 0 && 'The deep run measures it; worker-kills prints the figure in every run.';

test('an idle worker takes little memory, started as the image and the units start it', { skip: why }, async (t) => {
  await using cleanUp = new AsyncDisposableStack();
  const database = await createTestDatabase({ name: 'memory', migrate: true });
  cleanUp.defer(() => database.drop());
  const emulator = await startTelegramEmulator();
  cleanUp.defer(() => emulator.stop());
  const metrics: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    await using worker = startLatchkey(['worker'], {
      ...imageSettings(),
      NODE_DISABLE_COMPILE_CACHE: '1',
      DATABASE_URL: database.url,
      LATCHKEY_PORT: String(await freePorts()),
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64')}`,
      LATCHKEY_TELEGRAM_BOT_TOKEN: emulator.bot.token,
      LATCHKEY_TELEGRAM_API_URL: emulator.url,
    });
    await worker.printed(/Latchkey worker is running/);
    const requested = emulator.counts().requests;
    await until('the bot has polled for updates again', () => emulator.counts().requests > requested);
    metrics.push(await megabytesOf(worker.pid));
  }
  t.diagnostic(`a worker with a bot takes ${metrics.map((metric) => metric.toFixed()).join(', ')} MB at rest`);
  assert.ok(Math.max(...metrics) <= mostMegabytes, `${metrics}`);
});

/** Reads the image's memory settings from the Dockerfile. */
function imageSettings(): Record<string, string> {
  const dockerfile = readFileSync(new URL('../../../../Dockerfile', import.meta.url), 'utf8');
  const [, arenas = ''] = /\bMALLOC_ARENA_MAX=(\d+)/.exec(dockerfile) ?? [];
  return { NODE_ENV: 'production', MALLOC_ARENA_MAX: arenas };
}
