import { setTimeout as delay } from 'node:timers/promises';
import { sql as raw } from 'kysely';
import { openDatabase } from '../database.ts';
import { listeningLog } from '../queue/test-kit.ts';
import { fence, openLeases } from './index.ts';

// A holder in a separate process, for tests that freeze and kill it. While it has the lease it keeps writing lines to
// the table `ledger`, and one to `losses` each time it finds its lease gone.
const [url = '', owner = '', ttlMs = '1500'] = process.argv.slice(2);
const log = listeningLog();
// A transaction that was frozen with its process ends after two seconds.
const db = openDatabase({ url, log, maxConnections: 6, statementTimeoutMs: 1_000, connectTimeoutMs: 60_000 });
const leases = openLeases(db, { owner, log, ttlMs: Number(ttlMs) });

for (;;) {
  const lease = await leases.take('work').catch(() => undefined);
  while (lease?.isHeld()) {
    try {
      await db.transaction('system', async (tx) => {
        await fence(tx, lease);
        await raw`insert into ledger (owner, token) values (${owner}, ${lease.token})`.execute(tx);
      });
    } catch {
      // The loop condition checks whether it still holds the lease.
    }
    await delay(10);
  }
  for (let isReported = lease === undefined; !isReported; ) {
    isReported = await raw`insert into losses values (${owner}, ${lease?.token})`.execute(db.system).then(
      () => true,
      () => false,
    );
  }
  await delay(20);
}
