import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createHangClock } from './hang-clock.mjs';

interface Seen {
  beat?: number;
  isDebugged?: boolean;
  elapsedMs?: number;
  /** How long the main thread waited for a CPU since the previous tick. */
  waitedMs?: number;
}

/** Feeds ticks of half a second to a clock with a limit of five, and returns the tick that reports a hang. */
function firstHang(ticks: readonly Seen[]): number | undefined {
  const clock = createHangClock({ limitMs: 5_000, longestTickMs: 1_000 });
  let waited = 0;
  for (const [index, { beat = 0, isDebugged = false, elapsedMs = 500, waitedMs = 0 }] of ticks.entries()) {
    waited += waitedMs;
    if (clock.tick({ beat, isDebugged, elapsedMs, readWaitedMs: () => waited })) return index;
  }
  return undefined;
}

const ticks = (count: number, seen: Seen = {}) => Array.from({ length: count }, () => seen);

describe('the clock of the watchdog', () => {
  test('reports a hang when heartbeats have stopped for the limit, and not a tick earlier', () => {
    // The first tick sees the last heartbeat, the second sets the starting point, and ten of half a second follow.
    assert.equal(firstHang(ticks(100)), 11);
  });

  test('resets with each heartbeat', () => {
    const blocked = 11;
    const beats = Array.from({ length: 10 }, (_, beat) => ticks(blocked, { beat })).flat();
    assert.equal(firstHang(beats), undefined);
    assert.equal(firstHang([...beats, ...ticks(12, { beat: 10 })]), beats.length + 11);
  });

  test('counts a freeze of a whole hour as one tick', () => {
    assert.equal(firstHang([...ticks(4), { elapsedMs: 3_600_000 }, ...ticks(100)]), 10);
  });

  test('does not count the time that the main thread waited for a CPU', () => {
    assert.equal(firstHang(ticks(1_000, { waitedMs: 500 })), undefined);
    assert.equal(firstHang(ticks(1_000, { waitedMs: 450 })), 101);
  });

  test('a wait that began before the block does not hide it', () => {
    assert.equal(firstHang([{}, { waitedMs: 60_000 }, ...ticks(100)]), 11);
  });

  test('ignores a process that is being debugged', () => {
    assert.equal(firstHang(ticks(100, { isDebugged: true })), undefined);
  });
});
