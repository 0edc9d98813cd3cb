import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { decideClientApp } from '../../identity/client-apps/index.ts';
import { fails, newApp, newPerson } from '../../identity/client-apps/testing.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { type AppCall, idleAfterDays, keepDaysDays, keepLinesDays } from './call.ts';
import { appCallJobs } from './jobs.ts';
import { getClientAppUsage, listClientAppCalls } from './operations.ts';
import { writeCalls } from './write-calls.ts';

const daySeconds = 24 * 60 * 60;

describe('the calls of an application', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('app-calls');
  });
  after(() => t.close());

  const newOwnedApp = async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    return { person, id };
  };
  const callOf = (clientId: string, requestId: string, status = 200): AppCall => ({
    clientId,
    calledAt: t.services.clock(),
    method: 'GET',
    route: '/account/me',
    status,
    errorCode: status < 400 ? undefined : 'SCOPE_NOT_ALLOWED',
    tookMs: 4,
    requestId,
    credential: 'api-key',
  });
  const today = () => t.services.clock().toISOString().slice(0, 10);

  test('are shown to its owner alone, newest first, page by page, with a filter for errors', async () => {
    const { person, id } = await newOwnedApp();
    const calls = [callOf(id, 'first'), callOf(id, 'second', 403), callOf(id, 'third')];
    await writeCalls(t.services, { lines: calls, counts: [], keyUses: [] });
    const first = await listClientAppCalls(t.as(person), { id, limit: 2 });
    const { paginationToken } = first;
    const rest = await listClientAppCalls(t.as(person), { id, limit: 2, paginationToken });
    assert.deepEqual(
      [...first.items, ...rest.items].map(({ requestId }) => requestId),
      ['third', 'second', 'first'],
    );
    const { items } = await listClientAppCalls(t.as(person), { id, onlyErrors: true });
    assert.deepEqual(
      items.map(({ requestId, errorCode }) => [requestId, errorCode]),
      [['second', 'SCOPE_NOT_ALLOWED']],
    );
    assert.deepEqual((await listClientAppCalls(t.as(newPerson()), { id })).items, []);
    await assert.rejects(getClientAppUsage(t.as(newPerson()), { id }), fails('ENTITY_NOT_FOUND'));
  });

  test('are counted by day over several writes, and those of a deleted application are dropped', async () => {
    const { person, id } = await newOwnedApp();
    const counts = [{ clientId: id, day: today(), calls: 5, refused: 2, failed: 1 }];
    const gone = { clientId: 'gone', day: today(), calls: 1, refused: 0, failed: 0 };
    await writeCalls(t.services, { lines: [callOf('gone', 'lost')], counts: [...counts, gone], keyUses: [] });
    await writeCalls(t.services, { lines: [], counts, keyUses: [] });
    const { days } = await getClientAppUsage(t.as(person), { id });
    assert.deepEqual(days, [{ day: today(), calls: 10, refused: 4, failed: 2 }]);
  });

  test('show when each key was last used, and an unused key as idle', async () => {
    const { person, id } = await newOwnedApp();
    const usage = () => getClientAppUsage(t.as(person), { id });
    assert.deepEqual([(await usage()).keyLastUsedAt, (await usage()).isKeyIdle], [undefined, false]);
    t.advanceSeconds((idleAfterDays + 1) * daySeconds);
    assert.equal((await usage()).isKeyIdle, true);
    const now = t.services.clock();
    await writeCalls(t.services, {
      lines: [],
      counts: [],
      keyUses: [{ clientId: id, keyUsedAt: now, oldKeyUsedAt: undefined }],
    });
    const earlier = new Date(now.getTime() - 1000);
    await writeCalls(t.services, {
      lines: [],
      counts: [],
      keyUses: [{ clientId: id, keyUsedAt: earlier, oldKeyUsedAt: earlier }],
    });
    const { keyLastUsedAt, oldKeyLastUsedAt, isKeyIdle } = await usage();
    assert.deepEqual([keyLastUsedAt, oldKeyLastUsedAt, isKeyIdle], [now.toISOString(), earlier.toISOString(), false]);
  });

  test('are compared with the plan’s limits, in the current window', async () => {
    const { person, id } = await newOwnedApp();
    const before = await getClientAppUsage(t.as(person), { id });
    const [limit] = before.limits;
    assert.ok(limit && before.apps === 1 && before.maxApps >= 1);
    assert.deepEqual([limit.used, limit.resetsAt], [0, undefined]);
    const { rows } = await sql<{ key: string }>`
      select r ->> 'key' as key from plans, jsonb_array_elements(rate_limits) r where plans.id = 'free'`.execute(
      t.services.db.system,
    );
    const start = t.services.clock();
    await t.services.db.system
      .insertInto('rate_windows')
      .values({ bucket: `client:${id}:${rows[0]?.key}/${limit.durationSeconds}`, window_start: start, used: 3 })
      .execute();
    const [counted] = (await getClientAppUsage(t.as(person), { id })).limits;
    const resetsAt = new Date(start.getTime() + limit.durationSeconds * 1000).toISOString();
    assert.deepEqual([counted?.used, counted?.resetsAt], [3, resetsAt]);
    t.advanceSeconds(limit.durationSeconds);
    assert.equal((await getClientAppUsage(t.as(person), { id })).limits[0]?.used, 0);
  });

  test('are deleted after their retention period', async () => {
    const { person, id } = await newOwnedApp();
    const count = { clientId: id, day: today(), calls: 1, refused: 0, failed: 0 };
    await writeCalls(t.services, { lines: [callOf(id, 'old')], counts: [count], keyUses: [] });
    const [removeOld] = appCallJobs;
    const clean = () =>
      removeOld.run(t.as(operator), {}, { id: '1', attempt: 1, signal: new AbortController().signal });
    t.advanceSeconds(keepLinesDays * daySeconds + 1);
    await writeCalls(t.services, { lines: [callOf(id, 'new')], counts: [], keyUses: [] });
    await clean();
    const { items } = await listClientAppCalls(t.as(person), { id });
    assert.deepEqual(
      items.map(({ requestId }) => requestId),
      ['new'],
    );
    assert.equal((await getClientAppUsage(t.as(person), { id })).days.length, 1);
    t.advanceSeconds(keepDaysDays * daySeconds);
    await clean();
    const { rows } = await sql`select 1 from app_call_days where client_id = ${id}`.execute(t.services.db.system);
    assert.equal(rows.length, 0);
  });
});
