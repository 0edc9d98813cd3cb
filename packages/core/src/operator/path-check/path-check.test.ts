import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openBus, startWorker } from '@latchkey/db';
import { contextFor } from '../../shared/context.ts';
import { patienceMs, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { checkPath, checkPathJob } from './check-path.ts';

describe('the check of the path from an event to a role', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('path-check');
    t.services.bus = openBus({ url: t.databaseUrl, log: t.log });
  });
  after(async () => {
    await t.services.bus.close();
    await t.close();
  });

  test('a worker that runs it reports what it reached, what it did not reach, and how long each took', async () => {
    const follower = {
      ...t.services.follower,
      start: async (chain: string) => (chain === 'evm:1' ? { number: '1', hash: '0x1' } : undefined),
    };
    const settings = { ...t.services.settings, evmChains: [1, 10].map((chainId) => ({ chainId, publicRpcUrls: [] })) };
    const discord = { botName: async () => Promise.reject(new Error('Discord rejected the bot token.')) };
    Object.assign(t.services, { follower, settings, discord });
    const worker = startWorker({
      db: t.services.db,
      kinds: [checkPathJob],
      schedules: [],
      makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
      random: t.services.random,
      log: t.log,
      patienceMs,
      validate: () => undefined,
    });
    const { ran } = await checkPath(t.services, patienceMs);
    await worker.idle();
    await worker.stop(1_000);
    const { hostName, steps = [] } = ran ?? {};
    assert.equal(hostName, t.services.process.hostName);
    const stepOf = (name: string) => steps.find((step) => step.name === name);
    assert.equal(stepOf('database')?.fault, undefined);
    assert.equal(stepOf('Discord')?.fault, 'Discord rejected the bot token.');
    assert.ok(stepOf('chain evm:1'));
    assert.equal(stepOf('chain evm:1')?.fault, undefined);
    assert.equal(stepOf('chain evm:10')?.fault, 'no endpoint returned a block');
    for (const { ms } of steps) assert.ok(ms >= 0);
    assert.deepEqual(
      await t.services.db.system.selectFrom('jobs').select('name').where('name', '=', checkPathJob.name).execute(),
      [],
    );
  });

  test('without a worker it ends, and says that none ran the job', async () => {
    const { enqueueMs, ran } = await checkPath(t.services, 50);
    assert.ok(enqueueMs >= 0);
    assert.equal(ran, undefined);
  });
});
