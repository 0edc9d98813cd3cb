import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observed } from '@latchkey/kernel';
import { watchFaults } from './process-presence.ts';

test('malformed entries are reported until an hour after the last one, and stopped shards while they are stopped', (t) => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const faults = watchFaults(() => new Date(nowMs));
  t.after(faults.stop);
  assert.deepEqual(faults.read(), {});
  const member = { source: 'discord', kind: 'member' };
  const shard = { platform: 'discord', shard: '3', code: '4014' };
  observed.malformedEntry.record(member);
  observed.malformedEntry.record(member);
  observed.gatewayStopped.record({ ...shard, isStopped: true });
  assert.deepEqual(faults.read(), { malformed: [{ ...member, count: 2 }], stoppedShards: [shard] });
  nowMs += 3_600_001;
  observed.gatewayStopped.record({ ...shard, isStopped: false });
  assert.deepEqual(faults.read(), {});
});
