import { openDatabase, startWorker, systemRandom, tenantUrlOf } from '@latchkey/db';
import { createMatrix } from '@latchkey/platforms/matrix';
import { type Context, contextFor, type Services } from '../../../shared/context.ts';
import { memoryLog, patienceMs } from '../../../testing/index.ts';
import { gatingJobs } from '../jobs.ts';
import { httpHost } from './http-host.ts';

// A worker in a separate process, for tests that kill it. Its platform has only what writing roles needs.
const [databaseUrl = '', platformUrl = '', matrixToken] = process.argv.slice(2);
const log = memoryLog();
const db = openDatabase({
  url: databaseUrl,
  tenantUrl: tenantUrlOf(databaseUrl),
  log,
  maxConnections: 20,
  connectTimeoutMs: patienceMs,
  statementTimeoutMs: patienceMs,
});
/** The platform is a Matrix homeserver if there is a token for one. */
function openHosts(): Services['hosts'] {
  if (matrixToken === undefined) return { discord: httpHost(platformUrl) };
  const options = { homeserverUrl: platformUrl, accessToken: matrixToken, fetch, log, random: systemRandom };
  return { matrix: createMatrix({ ...options, clock: () => new Date() }).host };
}

const services = {
  db,
  log,
  clock: () => new Date(),
  random: systemRandom,
  hosts: openHosts(),
} satisfies Partial<Context>;

startWorker({
  db,
  patienceMs,
  kinds: gatingJobs,
  log,
  random: systemRandom,
  // The missing parts belong to jobs that this test never enqueues.
  makeContext: (kind) => contextFor(services as unknown as Services, { kind: 'system', job: kind.name }),
  validate: () => undefined,
  concurrency: 4,
});
