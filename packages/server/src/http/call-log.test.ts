import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createDevelopmentApp, linesPerMinute } from '@latchkey/core';
import { memoryLog, operator, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { createCallLog } from './call-log.ts';
import type { Visit } from './visit.ts';

/** The parts of a visit that the log reads. */
function visitBy(clientId: string, { status = 200, isOldKey = false } = {}): Visit {
  const visit = {
    actor: { kind: 'client', client: { id: clientId, name: 'App' }, credential: 'api-key' },
    client: { isOldKey },
    operation: { method: 'GET', path: '/ping' },
    request: { id: 'request-1', headers: { 'x-api-key': 'secret' } },
    reply: { statusCode: status },
    errorCode: undefined,
  };
  return visit as unknown as Visit;
}

describe('the log of calls', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('call-log');
  });
  after(() => t.close());

  const newId = async () =>
    (await createDevelopmentApp(t.as(operator), { userId: 'DIS#USER#71', name: 'App', scopes: ['user:read'] })).id ??
    '';
  const read = async (id: string) => {
    const { system } = t.services.db;
    const lines = await system
      .selectFrom('app_calls')
      .selectAll()
      .where('client_id', '=', id)
      .orderBy('called_at')
      .execute();
    const days = await system.selectFrom('app_call_days').selectAll().where('client_id', '=', id).execute();
    return { lines, days };
  };

  test('keeps a limited number of lines per application and minute, and counts every call', async () => {
    const id = await newId();
    const log = createCallLog(t.services);
    for (let call = 0; call < linesPerMinute + 20; call += 1)
      log.note(visitBy(id, { status: call % 4 ? 200 : 500 }), 1.4);
    await log.flush();
    const { lines, days } = await read(id);
    assert.deepEqual([lines.length, Number(days[0]?.calls), Number(days[0]?.failed)], [linesPerMinute, 80, 20]);
    t.advanceSeconds(60);
    log.note(visitBy(id, { isOldKey: true }), 1);
    await log.close();
    const later = await read(id);
    assert.deepEqual([later.lines.length, later.lines.at(-1)?.credential], [linesPerMinute + 1, 'old-api-key']);
  });

  test('keeps no lines where the operator turned it off', async () => {
    const id = await newId();
    const log = createCallLog({ ...t.services, settings: { ...t.services.settings, keepCalls: false } });
    log.note(visitBy(id), 1);
    await log.close();
    const { lines, days } = await read(id);
    assert.deepEqual([lines.length, days.length], [0, 1]);
  });

  test('calls without an application are not logged', async () => {
    const log = createCallLog({ ...t.services, db: undefined as never });
    log.note({ ...visitBy('any'), actor: { kind: 'anonymous' } }, 1);
    await log.close();
  });

  test('a database outage loses only the lines', async () => {
    const id = await newId();
    const lines = memoryLog();
    const down = { ...t.services.db, transaction: () => Promise.reject(new Error('down')) };
    const log = createCallLog({ ...t.services, db: down, log: lines });
    log.note(visitBy(id), 1);
    await log.flush();
    assert.match(lines.lines.join(), /Failed to write/);
  });
});
