import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { listeningLog, patient } from '../queue/test-kit.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { openCallBudget } from './index.ts';
import { shareOut } from './share-out.ts';

test('places are shared by what each can use, and none is left while somebody could use it', () => {
  const share = (places: number, ...wants: number[]) => [
    ...shareOut(new Map(wants.map((wanted, n) => [String(n), wanted])), places).values(),
  ];
  assert.deepEqual(share(50, 50), [50]);
  assert.deepEqual(share(50, 2, 50), [2, 48]);
  assert.deepEqual(share(49, 50, 50, 50), [17, 16, 16]);
  assert.deepEqual(share(10, 1, 3, 50, 0), [1, 3, 6, 0]);
  assert.deepEqual(share(2, 5, 5, 5), [1, 1, 0]);
  assert.deepEqual(share(10), []);
});

describe('the shared budget of calls', () => {
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

  const quiet = { refused: 0, blockedMs: 0, blocks: [] };
  function openFor(name: string) {
    return (owner: string) => {
      const budget = openCallBudget(db, { name, owner, nowMs: () => nowMs });
      return (wanted: number, busy: number, more: Partial<typeof quiet> = {}) =>
        budget.report({ wanted, busy, ...quiet, ...more });
    };
  }

  test('whoever joins gets a share as soon as the others gave back, and all are never more than the limit', async () => {
    const open = openFor('sharing');
    const [first, second] = [open('first'), open('second')];
    assert.equal((await first(50, 0)).places, 49);
    assert.equal((await second(50, 0)).places, 1, 'one is always kept for a newcomer');
    assert.equal((await first(50, 49)).places, 25, 'it may use fewer from now on');
    assert.equal((await second(50, 1)).places, 0, 'but has not given any back');
    assert.equal((await first(50, 25)).places, 25);
    assert.equal((await second(50, 1)).places, 24);
    await first(0, 0);
    assert.equal((await second(50, 24)).places, 49, 'what the first does not need is the second’s');
  });

  test('places of a process that is not heard of come back, and its own late report gets none that are used', async () => {
    const open = openFor('dying');
    const [first, second] = [open('first'), open('second')];
    assert.equal((await first(50, 0)).places, 49);
    nowMs += 10_000;
    assert.equal((await second(50, 0)).places, 49);
    assert.equal((await first(50, 49)).places, 1);
  });

  test('many at once never get more than the limit', async () => {
    const open = openFor('crowd');
    const grants = await Promise.all(Array.from({ length: 12 }, (_, n) => open(`worker-${n}`)(50, 0)));
    assert.ok(grants.reduce((sum, { places }) => sum + places, 0) <= 50);
  });

  test('what one was refused, all know', async () => {
    const open = openFor('blocks');
    const [first, second] = [open('first'), open('second')];
    await first(1, 1, { blockedMs: 5_000 });
    assert.equal((await second(1, 0)).blockedMs, 5_000);
    nowMs += 5_000;
    assert.equal((await second(1, 0)).blockedMs, 0);
    const budget = openCallBudget(db, { name: 'blocks', owner: 'third', nowMs: () => nowMs });
    await budget.report({ wanted: 1, busy: 1, ...quiet, blocks: [{ route: 'PUT /guilds/:id|1', ms: 3_000 }] });
    assert.deepEqual((await second(1, 0)).blocks, [{ route: 'PUT /guilds/:id|1', ms: 3_000 }]);
    nowMs += 3_000;
    assert.deepEqual((await second(1, 0)).blocks, []);
  });

  test('after too many refusals of all together nobody calls for a while', async () => {
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
