import { setTimeout as delay } from 'node:timers/promises';
import { sql as raw } from 'kysely';
import { openDatabase } from '../database.ts';
import { listeningLog } from '../queue/test-kit.ts';
import { fence, openLeases } from './index.ts';

// A holder in a process of its own, for tests that freeze and kill it. While it has the lease it writes a line into the
// table `ledger` again and again, and one into `losses` each time it finds its lease gone.
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
      // Whether it still holds the lease is asked above.
    }
    await delay(10);
  }
  for (let isTold = lease === undefined; !isTold; ) {
    isTold = await raw`insert into losses values (${owner}, ${lease?.token})`.execute(db.system).then(
      () => true,
      () => false,
    );
  }
  await delay(20);
}
