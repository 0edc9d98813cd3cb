import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql as raw } from 'kysely';
import type { Sql } from '../database.ts';
import { openQueue, type TestQueue } from '../queue/test-kit.ts';
import {
  heartbeatProcess,
  leaveProcess,
  listAlive,
  listAliveTogether,
  type ProcessInfo,
  registerProcess,
} from './index.ts';

describe('bus: processes', () => {
  let queue: TestQueue;
  before(async () => {
    queue = await openQueue('processes');
  });
  after(() => queue.close());

  function processOf(id: string): ProcessInfo {
    return {
      id,
      serverType: 'latchkey',
      serverSubType: 'worker',
      hostName: 'host-1',
      pid: 4_711,
      logLevel: 'info',
      debugSettings: '',
      logVersion: 0,
    };
  }

  test('a process is listed from registration to deregistration', async () => {
    const { system } = queue.db;
    await registerProcess(system, processOf('a'));
    await registerProcess(system, processOf('b'));
    const [first, second] = await listAlive(system);
    assert.ok(first && second);
    const { startedAt, seenAt, ...info } = first;
    assert.deepEqual(info, processOf('a'));
    assert.ok(startedAt instanceof Date && seenAt instanceof Date);
    assert.equal(second.id, 'b');
    await leaveProcess(system, 'a');
    await leaveProcess(system, 'a');
    assert.deepEqual(await idsAlive(), ['b']);
    await leaveProcess(system, 'b');
  });

  test('a heartbeat records what the process has applied and keeps its start time', async () => {
    const { system } = queue.db;
    await registerProcess(system, processOf('c'));
    const [before] = await listAlive(system);
    await heartbeatProcess(system, { ...processOf('c'), logLevel: 'debug', debugSettings: 'queue', logVersion: 7 });
    const [now] = await listAlive(system);
    assert.deepEqual([now?.logLevel, now?.debugSettings, now?.logVersion], ['debug', 'queue', 7]);
    assert.deepEqual(now?.startedAt, before?.startedAt);
    assert.ok(Number(now?.seenAt) >= Number(before?.seenAt));
    await leaveProcess(system, 'c');
  });

  test('a process that was not seen for fifteen seconds is not alive, until it is seen again', async () => {
    // The time of a transaction does not advance.
    await queue.db.transaction('system', async (tx) => {
      await registerProcess(tx, processOf('d'));
      await registerProcess(tx, processOf('e'));
      await shiftSeen(tx, 'd', '-16 seconds');
      await shiftSeen(tx, 'e', '-10 seconds');
      assert.deepEqual(await idsAlive(tx), ['e']);
      await heartbeatProcess(tx, processOf('d'));
      assert.deepEqual((await idsAlive(tx)).toSorted(), ['d', 'e']);
    });
  });

  test('a process that vanished is removed after a day, and added again by its next heartbeat', async () => {
    const { system } = queue.db;
    await registerProcess(system, processOf('f'));
    await shiftSeen(system, 'f', '-25 hours');
    await registerProcess(system, processOf('g'));
    const rows = await system.selectFrom('processes').select('id').where('id', '=', 'f').execute();
    assert.deepEqual(rows, []);
    await heartbeatProcess(system, processOf('f'));
    assert.ok((await idsAlive()).includes('f'));
  });

  test('concurrent readers get the current list, also after a column was added', async () => {
    const { system } = queue.db;
    await registerProcess(system, processOf('h'));
    const lists = await Promise.all(Array.from({ length: 5 }, () => listAliveTogether(queue.db)));
    for (const list of lists) assert.ok(list.some(({ id }) => id === 'h'));
    await leaveProcess(system, 'h');
    await raw`alter table processes add column added_later text`.execute(system);
    assert.ok(!(await listAliveTogether(queue.db)).some(({ id }) => id === 'h'));
  });

  async function idsAlive(sql: Sql = queue.db.system): Promise<string[]> {
    return (await listAlive(sql)).map((one) => one.id);
  }

  async function shiftSeen(sql: Sql, id: string, shift: string): Promise<void> {
    await raw`update processes set seen_at = now() + ${shift}::interval where id = ${id}`.execute(sql);
  }
});
