import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { listeningLog, patient } from '../queue/test-kit.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { shareOut } from './call-budget.ts';
import { type CallGrant, type CallReport, openCallBudget } from './index.ts';

test('slots are shared by what each process can use, and none is left unused while another process needs it', () => {
  const share = (places: number, ...wants: number[]) => [
    ...shareOut(new Map(wants.map((wanted, n) => [String(n), { wanted, urgent: wanted }])), places).values(),
  ];
  assert.deepEqual(share(50, 50), [50]);
  assert.deepEqual(share(50, 2, 50), [2, 48]);
  assert.deepEqual(share(49, 50, 50, 50), [17, 16, 16]);
  assert.deepEqual(share(10, 1, 3, 50, 0), [1, 3, 6, 0]);
  assert.deepEqual(share(2, 5, 5, 5), [1, 1, 0]);
  assert.deepEqual(share(10), []);
});

test('deferrable work yields to urgent work, but every process gets a slot', () => {
  const share = (places: number, ...wants: [wanted: number, urgent: number][]) => [
    ...shareOut(new Map(wants.map(([wanted, urgent], n) => [String(n), { wanted, urgent }])), places).values(),
  ];
  assert.deepEqual(share(50, [50, 0], [50, 50]), [1, 49]);
  assert.deepEqual(share(50, [50, 5], [30, 30], [50, 1]), [10, 30, 10]);
  assert.deepEqual(share(50, [50, 1], [50, 1]), [25, 25]);
  assert.deepEqual(share(2, [5, 0], [5, 0], [5, 5]), [1, 1, 0]);
});

function pick({ places, moreInMs }: CallGrant) {
  return { places, moreInMs: moreInMs && Math.round(moreInMs) };
}

function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

describe('the shared call budget', () => {
  let database: TestDatabase;
  let db: Database;
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  before(async () => {
    database = await createTestDatabase({ migrate, name: 'call_budget' });
    db = openDatabase({ url: database.url, log: listeningLog(), ...patient });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const quiet = { returns: [] as number[], refused: 0, blockedMs: 0, blocks: [] };
  function openFor(name: string) {
    return (owner: string) => {
      const budget = openCallBudget(db, { name, owner, nowMs: () => nowMs });
      return (wanted: number, busy: number, more: Partial<CallReport> = {}) =>
        budget.report({ wanted, urgent: wanted, busy, ...quiet, ...more });
    };
  }

  test('a process that joins gets its share once the others give back, and the total never exceeds the limit', async () => {
    const open = openFor('sharing');
    const [first, second] = [open('first'), open('second')];
    assert.equal((await first(50, 0)).places, 50);
    assert.equal((await second(50, 0)).places, 0);
    assert.equal((await first(50, 50)).places, 25, 'it may use fewer from now on');
    assert.equal((await second(50, 0)).places, 0, 'but has not given any back');
    assert.equal((await first(50, 25)).places, 25);
    assert.equal((await second(50, 0)).places, 25);
    await first(0, 0);
    assert.equal((await second(50, 25)).places, 50, 'the second gets what the first does not need');
  });

  test('a returned slot is available to another process as soon as its last call no longer counts, and not before', async () => {
    const open = openFor('handing over');
    const [first, second] = [open('first'), open('second')];
    await first(50, 0);
    assert.equal((await second(50, 0)).moreInMs, undefined, 'it is not known when yet');
    assert.equal((await first(50, 50)).places, 25);
    const given = [...Array<number>(10).fill(300), ...Array<number>(15).fill(700)];
    assert.equal((await first(50, 25, { returns: given })).places, 25);
    assert.deepEqual(pick(await second(50, 0)), { places: 0, moreInMs: 300 });
    nowMs += 299;
    assert.deepEqual(pick(await second(50, 0)), { places: 0, moreInMs: 1 });
    nowMs += 1;
    assert.deepEqual(pick(await second(50, 0)), { places: 10, moreInMs: 400 });
    nowMs += 400;
    assert.deepEqual(pick(await second(50, 10)), { places: 25, moreInMs: undefined });
  });

  test('a process with only checks left keeps one slot while others write', async () => {
    const open = openFor('checks');
    const [first, second] = [open('first'), open('second')];
    await first(50, 0);
    await second(50, 0);
    assert.equal((await first(50, 50, { urgent: 0 })).places, 1);
    await first(50, 1, { urgent: 0 });
    assert.equal((await second(50, 0)).places, 49);
    assert.equal((await second(50, 49, { urgent: 0 })).places, 25, 'checks of all processes are equal');
  });

  test('whatever processes request, use and return, the total never exceeds the limit', async () => {
    const next = chance(seedNumber('call-budget'));
    const upTo = (most: number) => Math.floor(next() * (most + 1));
    const budgets = Array.from({ length: 4 }, (_, n) => openFor('anything')(`worker-${n}`));
    const places = budgets.map(() => 0);
    const busy = budgets.map((): number[] => []);
    const counted: number[] = [];
    for (let step = 0; step < volume(150, 1_500); step += 1) {
      nowMs += upTo(120);
      for (const [n, calls] of busy.entries()) busy[n] = calls.filter((freeAtMs) => freeAtMs > nowMs);
      const n = upTo(budgets.length - 1);
      const own = busy[n] ?? [];
      const surplus = own.splice(0, Math.max(0, own.length - (places[n] ?? 0)));
      const wanted = upTo(50);
      const given = surplus.map((freeAtMs) => freeAtMs - nowMs);
      const grant = await budgets[n]?.(wanted, own.length, { urgent: upTo(wanted), returns: given });
      places[n] = grant?.places ?? 0;
      while (own.length < places[n] && next() < 0.9) own.push(nowMs + 1_000);
      counted.push(...surplus);
      const inUse = busy.flat().length + counted.filter((freeAtMs) => freeAtMs > nowMs).length;
      assert.ok(inUse <= 50, `${inUse} at step ${step}`);
    }
  });

  test('slots of a silent process are reclaimed, and its own late report gets none that are in use', async () => {
    const open = openFor('dying');
    const [first, second] = [open('first'), open('second')];
    assert.equal((await first(50, 0)).places, 50);
    nowMs += 10_000;
    assert.equal((await second(50, 0)).places, 50);
    assert.equal((await first(50, 50)).places, 0);
  });

  test('many concurrent processes never get more than the limit', async () => {
    const open = openFor('crowd');
    const grants = await Promise.all(Array.from({ length: 12 }, (_, n) => open(`worker-${n}`)(50, 0)));
    assert.ok(grants.reduce((sum, { places }) => sum + places, 0) <= 50);
  });

  test('a refusal of one process is known to all', async () => {
    const open = openFor('blocks');
    const [first, second] = [open('first'), open('second')];
    await first(1, 1, { blockedMs: 5_000 });
    assert.equal((await second(1, 0)).blockedMs, 5_000);
    nowMs += 5_000;
    assert.equal((await second(1, 0)).blockedMs, 0);
    const budget = openCallBudget(db, { name: 'blocks', owner: 'third', nowMs: () => nowMs });
    await budget.report({
      wanted: 1,
      urgent: 1,
      busy: 1,
      ...quiet,
      blocks: [{ route: 'PUT /guilds/:id|1', ms: 3_000 }],
    });
    assert.deepEqual((await second(1, 0)).blocks, [{ route: 'PUT /guilds/:id|1', ms: 3_000 }]);
    nowMs += 3_000;
    assert.deepEqual((await second(1, 0)).blocks, []);
  });

  test('after too many refusals in total no process calls for a while', async () => {
    const open = openFor('refusals');
    const [first, second] = [open('first'), open('second')];
    await first(1, 0, { refused: 2_600 });
    assert.equal((await second(1, 0, { refused: 2_300 })).blockedMs, 0);
    assert.ok((await second(1, 0, { refused: 100 })).blockedMs > 0);
    assert.ok((await first(1, 0)).blockedMs > 0);
    nowMs += 11 * 60_000;
    assert.equal((await first(1, 0)).blockedMs, 0);
  });
});
