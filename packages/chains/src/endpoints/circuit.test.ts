import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { handTimers } from '../testing/idle-timers.ts';
import { createCircuit } from './circuit.ts';

describe('a circuit', () => {
  const options = { leastOutcomes: 4, windowSize: 8, firstPauseMs: 1_000, longestPauseMs: 3_000 };

  it('opens when half of the recent outcomes failed, and not for a few failures among many successes', () => {
    const circuit = createCircuit(handTimers(), options);
    for (let n = 0; n < 6; n += 1) circuit.succeeded();
    for (let n = 0; n < 3; n += 1) circuit.failed();
    assert.equal(circuit.state(), 'closed');
    circuit.failed();
    assert.equal(circuit.state(), 'open');
    assert.equal(circuit.take(), false);
  });

  it('stays closed below the minimum number of outcomes', () => {
    const circuit = createCircuit(handTimers(), options);
    for (let n = 0; n < 3; n += 1) circuit.failed();
    assert.equal(circuit.state(), 'closed');
  });

  it('lets one request through after the pause, and closes when it succeeds', async () => {
    const timers = handTimers();
    const circuit = createCircuit(timers, options);
    circuit.trip();
    await timers.pass(999);
    assert.equal(circuit.take(), false);
    await timers.pass(1);
    assert.equal(circuit.state(), 'half-open');
    assert.deepEqual([circuit.take(), circuit.take()], [true, false]);
    circuit.succeeded();
    assert.equal(circuit.state(), 'closed');
    assert.equal(circuit.errorRate(), 0);
  });

  it('doubles the pause after each failed trial, up to a limit', async () => {
    const timers = handTimers();
    const circuit = createCircuit(timers, options);
    circuit.trip();
    for (const pauseMs of [1_000, 2_000, 3_000, 3_000]) {
      await timers.pass(pauseMs - 1);
      assert.equal(circuit.state(), 'open', String(pauseMs));
      await timers.pass(1);
      assert.ok(circuit.take());
      circuit.failed();
    }
  });

  it('lets the next request through when the previous one was aborted', async () => {
    const timers = handTimers();
    const circuit = createCircuit(timers, options);
    circuit.trip();
    await timers.pass(1_000);
    assert.ok(circuit.take());
    circuit.abandoned();
    assert.ok(circuit.take());
  });
});
