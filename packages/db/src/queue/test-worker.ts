import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@latchkey/test-kit';
import { sql as raw } from 'kysely';
import { openDatabase } from '../database.ts';
import { systemRandom } from '../random.ts';
import { LeaseLost, leased, startWorker } from './index.ts';
import { kindOf, listeningLog, patient } from './test-kit.ts';

// A worker in a separate process, for tests that kill it. Its only kind of job writes to the tables `starts`, `ledger`
// and `refusals` of the test, and waits for its process to appear in `gates` if requested.
const [url = '', leaseSeconds = '30', concurrency = '10'] = process.argv.slice(2);
const log = listeningLog();
const db = openDatabase({ url, log, maxConnections: 12, ...patient });

const grant = kindOf('grant', async (payload, run) => {
  if (payload.isGated) {
    await raw`insert into starts values (${run.id}, ${process.pid})`.execute(db.system);
    await until('this process may go on', async () => {
      const { rows } = await raw`select from gates where pid = ${process.pid}`.execute(db.system);
      return rows.length > 0;
    });
  }
  if (payload.waitMs) await delay(Number(payload.waitMs));
  try {
    await db.transaction('system', async (tx) => {
      await raw`insert into ledger values (${run.id}, ${process.pid})`.execute(tx);
      await leased(run).finishIn(tx);
    });
  } catch (error) {
    if (error instanceof LeaseLost)
      await raw`insert into refusals values (${run.id}, ${process.pid})`.execute(db.system);
    throw error;
  }
});

startWorker({
  db,
  kinds: [grant],
  log,
  random: systemRandom,
  makeContext: () => ({}),
  validate: () => undefined,
  leaseSeconds: Number(leaseSeconds),
  concurrency: Number(concurrency),
});
