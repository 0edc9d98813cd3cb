import { openDatabase, openLeases, sql, systemRandom } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import { createDiscordGateway } from '@latchkey/platforms/discord';
import { listenToDiscord } from './listen.ts';

// A worker in a separate process, for tests that kill it: it receives join events and writes them to the table
// `ledger`.
const [url = '', apiUrl = '', token = '', owner = ''] = process.argv.slice(2);
// Longer than any pause of a slow machine: a lease ends only when the test ends it.
const ttlMs = 3_600_000;
const quiet = () => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet, for: () => log };
const db = openDatabase({ url, log, maxConnections: 6, connectTimeoutMs: 60_000, statementTimeoutMs: 5_000 });
listenToDiscord(
  { clock: () => new Date(), db, log, random: systemRandom },
  {
    gateway: createDiscordGateway({ fetch, permit: async () => undefined, token, apiUrl, log, random: systemRandom }),
    bot: 'killed',
    reserve: 0.2,
    leases: openLeases(db, { owner, log, ttlMs }),
    checkMs: 100,
    takeEvent: (event, once) =>
      event.kind === 'member-joined'
        ? once(async (tx) => {
            await sql`insert into ledger values (${event.guildId}, ${event.userName}, ${owner})`.execute(tx);
          })
        : once(),
  },
);
