import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until, volume } from '@latchkey/test-kit';
import {
  command,
  type DataFolder,
  type Environment,
  isAlive,
  makeDataFolder,
  runLatchkey,
  startLatchkey,
  statusOf,
} from '../harness/processes.ts';
import { environmentFor, stopsCleanly, urlOf } from '../harness/whole-latchkey.ts';

const kills = volume(1, 20);

describe('on one folder', () => {
  let folder: DataFolder;
  let environment: Environment;
  before(async () => {
    folder = await makeDataFolder();
    environment = { ...(await environmentFor(folder)), LATCHKEY_SIGNER: 'false' };
  });
  after(() => folder[Symbol.asyncDispose]());

  test('only one Latchkey runs, and it survives the death of its database', async (t) => {
    // Behind a proxy that does not let us in, the first one is still found.
    const behindProxy = { ...environment, LATCHKEY_BASE_URL: 'https://latchkey.invalid', LATCHKEY_SIGNER: 'true' };
    await using one = startLatchkey(['start'], behindProxy);
    await using two = startLatchkey(['start'], behindProxy);
    await until('one of them has ended', () => one.hasEnded() || two.hasEnded());
    const [loser, winner] = one.hasEnded() ? [one, two] : [two, one];
    const refusal = `Latchkey is already running on this data folder (process ${winner.pid}, https://latchkey.invalid). It keeps running. To stop it, press Ctrl-C in its terminal or run "kill ${winner.pid}"; to run a second one, choose another folder with LATCHKEY_DATA_DIR, and other ports.\n`;

    await t.test('of two concurrent starts one runs and the other says so', async () => {
      assert.equal((await loser.ended()).code, 1);
      assert.equal(loser.stderr(), refusal);
      await winner.printed(/Ctrl-C stops everything/);
    });
    const { pid, localUrl } = await readNote(folder);
    await t.test('a later start reports the running one, and leaves it alone', async () => {
      const later = await runLatchkey(['start'], environment);
      assert.deepEqual([later.code, later.stderr], [1, refusal]);
      assert.equal(pid, winner.pid);
      const brought = { sampleWorld: false, mailCatcher: false };
      const report = { needs: [], mailCatcherPort: 3025, sandboxPort: 3040 };
      const known = { pid, localUrl, url: 'https://latchkey.invalid', ...brought, ...report };
      const { startTicks, ...note } = await readNote(folder);
      assert.deepEqual(note, known);
      assert.equal(startTicks !== undefined, process.platform === 'linux');
      assert.equal(await statusOf(`${localUrl}/health/ready`), 200);
    });
    await t.test('a command finds the database of the running one', async () => {
      assert.match(await command(['apps'], environment), /^ID +STATUS/);
      assert.equal(await statusOf(`${localUrl}/health/ready`), 200);
    });
    await t.test('an embedded database that dies is started again under the running server', async () => {
      const postgres = (await folder.postgresPid()) ?? Number.NaN;
      process.kill(postgres, 'SIGKILL');
      const another = async () => ![undefined, postgres].includes(await folder.postgresPid());
      await until('another database runs', another);
      await until('the server is ready', async () => (await statusOf(`${localUrl}/health/ready`)) === 200);
    });
    await stopsCleanly(t, winner, folder, 'SIGHUP');
  });

  test('after kill -9 the next start takes over, of Latchkey alone or of its database as well', async (t) => {
    let latchkey = startLatchkey(['start'], environment);
    try {
      await urlOf(latchkey);
      for (let kill = 1; kill <= kills; kill += 1) {
        const postgres = (await folder.postgresPid()) ?? Number.NaN;
        await latchkey.stop('SIGKILL');
        assert.ok(isAlive(postgres), 'PostgreSQL has a session of its own');
        const isLeftAlone = kill % 2 === 1;
        if (!isLeftAlone) process.kill(postgres, 'SIGKILL');
        latchkey = startLatchkey(['start'], environment);
        assert.equal(await statusOf(`${await urlOf(latchkey)}/health/ready`), 200);
        assert.equal((await folder.postgresPid()) === postgres, isLeftAlone);
      }
      t.diagnostic(`killed ${kills} times`);
      await stopsCleanly(t, latchkey, folder, 'SIGINT');
    } finally {
      await latchkey[Symbol.asyncDispose]();
    }
  });
});

async function readNote(folder: DataFolder): Promise<{ pid: number; localUrl: string; startTicks?: string }> {
  return JSON.parse(await readFile(join(folder.path, 'running.json'), 'utf8'));
}
