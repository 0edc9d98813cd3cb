import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyring } from '@latchkey/db';
import { rewrapAll } from '../../services/signing-keys/index.ts';
import { seededRandom, testPlatform } from '../../testing/index.ts';
import { keepTelegramSessions, telegramSealed } from './sessions.ts';

const names = { botId: '5000', apiId: 4242 };

test('a session is stored encrypted, and only for this bot and this application', async () => {
  await using t = await testPlatform('telegram-sessions');
  const sessions = keepTelegramSessions(t.services, names);
  assert.equal(await sessions.use(async ({ session }) => session), undefined);
  await sessions.use(({ keep }) => keep('the first login'));
  await sessions.use(({ keep }) => keep('the second login'));
  assert.equal(await sessions.use(async ({ session }) => session), 'the second login');
  const rows = await t.services.db.system.selectFrom('telegram_sessions').selectAll().execute();
  assert.deepEqual(rows.length, 1);
  assert.ok(!JSON.stringify(rows).includes('login'));
  for (const other of [{ botId: '5001' }, { apiId: 4243 }]) {
    const foreign = keepTelegramSessions(t.services, { ...names, ...other });
    assert.equal(await foreign.use(async ({ session }) => session), undefined);
  }
});

test('a session survives a change of the master key', async () => {
  await using t = await testPlatform('telegram-sessions');
  await keepTelegramSessions(t.services, names).use(({ keep }) => keep('the login'));
  const random = seededRandom('telegram-sessions/next');
  const next = { id: 'next', key: random.bytes(32) };
  const former = { id: 'test', key: seededRandom('telegram-sessions').bytes(32) };
  await rewrapAll({ ...t.services, keyring: createKeyring([next, former], random) }, telegramSealed);
  const after = { ...t.services, keyring: createKeyring([next], random) };
  assert.equal(await keepTelegramSessions(after, names).use(async ({ session }) => session), 'the login');
});

test('a session is used by one caller at a time: callers in a process wait, another process gives up in the end', async () => {
  await using t = await testPlatform('telegram-sessions');
  const sessions = keepTelegramSessions(t.services, names);
  const elsewhere = keepTelegramSessions(t.services, { ...names, waitMs: 0 });
  const order: string[] = [];
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
  const { promise: isBusy, resolve: busy } = Promise.withResolvers<void>();
  const first = sessions.use(async () => {
    order.push('first begins');
    busy();
    await isFree;
    order.push('first ends');
  });
  const second = sessions.use(async () => void order.push('second'));
  await isBusy;
  await assert.rejects(
    elsewhere.use(async () => void order.push('never')),
    /Another worker is listing members/,
  );
  free();
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first begins', 'first ends', 'second']);
  await elsewhere.use(async () => void order.push('elsewhere'));
  assert.equal(order.at(-1), 'elsewhere');
});

test('work that fails frees the session, and a caller that gave up does not get it', async () => {
  await using t = await testPlatform('telegram-sessions');
  const sessions = keepTelegramSessions(t.services, names);
  await assert.rejects(
    sessions.use(async () => Promise.reject(new Error('Telegram is not responding.'))),
    /is not responding/,
  );
  const gone = AbortSignal.abort(new Error('The worker stops.'));
  await assert.rejects(
    sessions.use(async () => assert.fail('not run'), gone),
    /The worker stops/,
  );
  assert.equal(await sessions.use(async () => 'free again'), 'free again');
});
