import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryOnce } from './query-once.ts';
import { startStandbyPair } from './standby-pair.ts';

test('a pair keeps acknowledged writes through failovers back and forth, restarts and a full disk', async (t) => {
  await using pair = await startStandbyPair((url) => queryOnce(url, 'create table kept (n int)'), {
    onSmallDisks: true,
  });
  const acknowledged: number[] = [];
  const put = async () => {
    const n = acknowledged.length;
    await queryOnce(pair.primary.url, `insert into kept values (${n})`);
    acknowledged.push(n);
  };
  await put();
  for (let turn = 0; turn < 2; turn += 1) {
    const { pid } = pair.standby;
    await pair.failOver();
    assert.equal(pair.primary.pid, pid);
    await put();
    await pair.rejoin();
  }
  for (const mode of ['fast', 'immediate'] as const) {
    await pair.restart(mode);
    await put();
  }
  if (pair.fillDisk === undefined) t.diagnostic(`no full disk: ${pair.noDisk}`);
  else {
    await pair.fillDisk();
    await assert.rejects(queryOnce(pair.primary.url, 'insert into kept values (-1)'));
    await pair.freeDisk();
    await put();
  }
  await pair.failOver();
  const rows = await queryOnce<{ n: number }>(pair.primary.url, 'select n from kept order by n');
  assert.deepEqual(
    rows.map(({ n }) => n),
    acknowledged,
  );
});
