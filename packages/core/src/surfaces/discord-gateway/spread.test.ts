import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import { leaseNames, shareOf } from './listen.ts';

const names = leaseNames('bot');

function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    yield state / 0x7fff_ffff;
  }
}

/** Lets each worker check once, in any order, and returns how many shards moved. */
function round(shards: Map<number, string>, workers: readonly string[], shardCount: number): number {
  let moves = 0;
  for (const owner of workers) {
    const held = [
      ...workers.map((one) => ({ name: names.worker(one), owner: one })),
      ...[...shards].map(([id, one]) => ({ name: names.shard(shardCount, id), owner: one })),
    ];
    const { quota, free } = shareOf(owner, held, names, shardCount);
    const mine = [...shards].filter(([, one]) => one === owner).map(([id]) => id);
    for (const id of mine.slice(quota)) shards.delete(id);
    for (const id of free.slice(0, Math.max(0, quota - mine.length))) {
      shards.set(id, owner);
      moves += 1;
    }
  }
  return moves;
}

test('all shards are held, evenly, within a few rounds of a process joining, leaving or dying', () => {
  const dice = numbers(seedNumber('spread of shards'));
  const roll = (below: number) => Math.floor((dice.next().value ?? 0) * below);
  for (let run = 0; run < volume(30, 1_000); run++) {
    const shardCount = 1 + roll(60);
    const shards = new Map<number, string>();
    let workers: string[] = [];
    for (let change = 0; change < 8; change++) {
      if (roll(2) === 0 || workers.length === 0) workers.push(`worker-${change}`);
      else workers = workers.toSpliced(roll(workers.length), 1);
      if (workers.length === 0) continue;
      for (const [id, owner] of shards) if (!workers.includes(owner)) shards.delete(id);
      for (let looks = 0; looks < 4; looks++) round(shards, workers, shardCount);
      const counts = workers.map((one) => [...shards.values()].filter((owner) => owner === one).length);
      assert.equal(shards.size, shardCount);
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `${shardCount} shards over ${counts}`);
      assert.equal(round(shards, workers, shardCount), 0, 'then nothing moves');
    }
  }
});

test('a second worker takes half of the shards and does not move the others', () => {
  const shards = new Map(Array.from({ length: 10 }, (_, id) => [id, 'first']));
  const before = new Map(shards);
  for (let looks = 0; looks < 3; looks++) round(shards, ['first', 'second'], 10);
  const moved = [...shards].filter(([id, owner]) => before.get(id) !== owner);
  assert.equal(moved.length, 5);
});
