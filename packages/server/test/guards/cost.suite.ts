import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { bound, volume } from '@latchkey/test-kit';
import { startCounting } from '../harness/count-steps.ts';
import type { Entrance } from '../harness/entrances.ts';

/** The longest that one request may block the event loop. */
const promisedMs = 50;
/** Blocks of code that one request may run. The most expensive one ran 160,000 of them when this was written. */
const mostSteps = 500_000;
/**
 * Counting once for a group takes as long as for one request, and in a group within the limit no request exceeds it.
 */
const groupSize = 12;
/** Other load on the machine delays the loop too: the best of several attempts is what the request itself takes. */
const tries = volume(1, 6);

/** Entrances for any caller come first, and those that delete things last, so that the others find them. */
function inOrder(entrances: readonly Entrance[]): Entrance[] {
  const methods = ['GET', 'PUT', 'PATCH', 'POST', 'DELETE'];
  const rank = ({ kind, name, isAnonymous }: Entrance) => {
    if (kind !== 'operation') return isAnonymous ? 0 : 1;
    return isAnonymous ? 2 : 3 + methods.indexOf(name.split(' ')[0] ?? '');
  };
  return [...entrances].sort((a, b) => rank(a) - rank(b));
}

/** Measures the cost of the largest valid input, at every entrance. */
export function costSuite(entrances: () => readonly Entrance[]): void {
  test('handles the largest valid input without a server error, and within a fixed number of steps', async (t) => {
    const counter = await startCounting();
    const faults: string[] = [];
    const send = async (entrance: Entrance) => {
      const { status, text } = await entrance.send(entrance.largest());
      if (status >= 500) faults.push(`${entrance.kind} ${entrance.name}: ${status} ${text.slice(0, 200)}`);
    };
    const dearest = { name: '', steps: 0 };
    const all = inOrder(entrances());
    for (let at = 0; at < all.length; at += groupSize) {
      const group = all.slice(at, at + groupSize);
      const steps = await counter.count(async () => {
        for (const entrance of group) await send(entrance);
      });
      for (const entrance of steps <= mostSteps ? [] : group) {
        const alone = await counter.count(() => send(entrance));
        if (alone > dearest.steps) Object.assign(dearest, { name: `${entrance.kind} ${entrance.name}`, steps: alone });
      }
    }
    await counter.stop();
    t.diagnostic(`${all.length} entrances`);
    assert.deepEqual(faults, []);
    assert.ok(dearest.steps <= mostSteps, `${dearest.name} took ${dearest.steps} steps`);
  });

  test('does not block the event loop, however large the input', async (t) => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const delayDuring = async (work: () => Promise<unknown>) => {
      delay.reset();
      await work();
      // The delay is recorded on the next turn of the loop.
      await pause(3);
      return delay.max / 1e6;
    };
    const idleMs = await delayDuring(() => pause(200));
    const worst = { name: '', ms: 0 };
    const measured = inOrder(entrances()).filter(({ isAnonymous }) => isAnonymous || tries > 1);
    for (const entrance of measured) {
      let best = Number.POSITIVE_INFINITY;
      for (let tried = 0; tried < tries && best > promisedMs; tried += 1) {
        const input = entrance.largest();
        best = Math.min(best, (await delayDuring(() => entrance.send(input))) - idleMs);
      }
      if (best > worst.ms) Object.assign(worst, { name: `${entrance.kind} ${entrance.name}`, ms: best });
    }
    delay.disable();
    t.diagnostic(`${measured.length} entrances, an idle loop is ${idleMs.toFixed(1)} ms late`);
    await bound(t, `the longest hold of the event loop (${worst.name})`, worst.ms, promisedMs);
  });
}
