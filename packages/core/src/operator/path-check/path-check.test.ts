import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openBus, sql, startWorker } from '@latchkey/db';
import { testSigner } from '../../services/signer/testing.ts';
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
    const mailer = {
      ...t.services.mailer,
      tryOut: async () => Promise.reject(new Error('The mail server did not accept the login (535).')),
    };
    Object.assign(t.services, { follower, settings, discord, mailer });
    await sql`insert into discord_gateways values ('7', 2, now()), ('replaced', 9, now() - interval '1 day')`.execute(
      t.services.db.system,
    );
    await sql`insert into leases (name, owner, token, until) values
      ('discord/7/shard/2/0', 'a', 1, now() + interval '1 hour'), ('discord/7/shard/2/1', 'a', 2, now())`.execute(
      t.services.db.system,
    );
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
    assert.equal(stepOf('Discord events')?.fault, 'workers hold 1 of 2 shards');
    assert.equal(stepOf('mail server')?.fault, 'The mail server did not accept the login (535).');
    assert.equal(stepOf('signer'), undefined, 'hosted wallets are not set up here');
    for (const { ms } of steps) assert.ok(ms >= 0);
    assert.deepEqual(
      await t.services.db.system.selectFrom('jobs').select('name').where('name', '=', checkPathJob.name).execute(),
      [],
    );
  });

  test('a signer that runs, shards that are held and a mail server that accepts the login are well', async () => {
    const { bus } = t.services;
    const signer = await testSigner(t);
    const { mailer: _failing, ...services } = t.services;
    Object.assign(t.services, { mailer: { send: async () => undefined, tryOut: async () => undefined } });
    await sql`update leases set until = now() + interval '9 seconds' where name like 'discord/7/shard/%'`.execute(
      t.services.db.system,
    );
    const settings = { ...services.settings, hostedWallets: { signerPatienceMs: 50 } };
    const run = async () => {
      const worker = startWorker({
        db: t.services.db,
        kinds: [checkPathJob],
        schedules: [],
        makeContext: (kind) => contextFor({ ...t.services, settings }, { kind: 'system', job: kind.name }),
        random: t.services.random,
        log: t.log,
        patienceMs,
        validate: () => undefined,
      });
      const { ran } = await checkPath(t.services, patienceMs);
      await worker.idle();
      await worker.stop(1_000);
      return (name: string) => ran?.steps.find((step) => step.name === name);
    };
    const without = await run();
    assert.match(without('signer')?.fault ?? '', /^The signer of hosted wallets is not responding/);
    assert.equal(without('mail server')?.fault, undefined);
    assert.match(without('Discord events')?.found ?? '', /^Workers hold all 2 shards; the oldest lease was renewed \d/);
    settings.hostedWallets.signerPatienceMs = patienceMs;
    signer.start();
    const withSigner = await run();
    assert.ok(withSigner('signer'));
    assert.equal(withSigner('signer')?.fault, undefined);
    await signer.close();
    t.services.bus = bus;
  });

  test('without a worker it ends, and says that none ran the job', async () => {
    const { enqueueMs, ran } = await checkPath(t.services, 50);
    assert.ok(enqueueMs >= 0);
    assert.equal(ran, undefined);
  });
});
