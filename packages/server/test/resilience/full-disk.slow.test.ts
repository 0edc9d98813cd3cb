import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { mountSmallDisk, queryOnce } from '@latchkey/db/testing';
import { until, volume } from '@latchkey/test-kit';
import { makeDataFolder, startLatchkey, statusOf } from '../harness/processes.ts';
import { environmentFor, urlOf } from '../harness/whole-latchkey.ts';

const turns = volume(1, 20);

test('a full disk stops the embedded database; once there is space Latchkey recovers', async (t) => {
  await using folder = await makeDataFolder();
  const place = join(folder.path, 'postgres');
  await mkdir(place, { mode: 0o700 });
  const disk = await mountSmallDisk(place);
  if (typeof disk === 'string') {
    t.skip(disk);
    return;
  }
  try {
    await using latchkey = startLatchkey(['start'], { ...(await environmentFor(folder)), LATCHKEY_SIGNER: 'false' });
    const url = await urlOf(latchkey);
    const database = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(join(place, 'socket'))}`;
    await queryOnce(database, 'create table kept (turn int)');
    for (let turn = 0; turn < turns; turn += 1) {
      await queryOnce(database, 'insert into kept values ($1)', [turn]);
      const before = await folder.postgresPid();
      await disk.fill();
      // The WAL continues in existing segments, and then there is no space for another.
      await until('the server has ended', async () => {
        await queryOnce(database, `select pg_logical_emit_message(false, 'full', ''), pg_switch_wal()`).catch(
          () => undefined,
        );
        return (await folder.postgresPid()) !== before;
      });
      assert.equal(await statusOf(`${url}/health/live`), 200);
      await disk.free();
      await until('Latchkey is ready', async () => (await statusOf(`${url}/health/ready`)) === 200);
    }
    const rows = await queryOnce<{ turn: number }>(database, 'select turn from kept order by turn');
    assert.deepEqual(
      rows.map(({ turn }) => turn),
      Array.from({ length: turns }, (_, turn) => turn),
    );
    assert.equal((await latchkey.stop('SIGINT')).code, 0);
  } finally {
    disk.unmount();
  }
});
