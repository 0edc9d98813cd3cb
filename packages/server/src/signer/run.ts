import { checkSignerKey, countWaitingRequests, rewrapKeys, serveRequests } from '@latchkey/core';
import { prepareSignerSchema, signerRole, signerUrlOf } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import { composeSigner, type SignerConfig } from '../compose/hosted-wallets.ts';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { loadSignerKeys, readServerKeyFile } from '../master-keys.ts';
import { createMetrics, hangSamples, readSoon, type Sample } from '../metrics/index.ts';
import { findDatabase, type RunningDatabase } from '../run/find-database.ts';
import { Lifetime } from '../run/lifetime.ts';
import { firstSignal } from '../run/signals.ts';
import { waitForDatabase } from '../run/wait-for-database.ts';
import { openWatch } from '../run/watch.ts';
import { startWatchdog, type Watchdog } from '../watchdog/watchdog.ts';

/** The message with which a signer tells its parent process that it answers requests. */
export const readyMessage = 'ready';

/** Runs only the signer until a signal, or its parent process, ends it. */
export async function runSigner(config: Config, log: RootLog): Promise<void> {
  await assertApart(config);
  if (config.baseUrl === undefined && process.send === undefined)
    log.warn('LATCHKEY_BASE_URL is not set; the signer assumes that the servers use the local address.');
  const lifetime = new Lifetime(log);
  const end = Promise.race([firstSignal(), parentGone()]);
  const leaving = new AbortController();
  void end.then(() => leaving.abort());
  let watchdog: Watchdog | undefined;
  try {
    // A signer with a parent process shares the parent's settings, including its port.
    const watch = process.send === undefined ? await openWatch(config, log, lifetime) : undefined;
    const database = await findSignerDatabase(config, log);
    lifetime.add('the database', database.stop, database.pid);
    const { signal } = leaving;
    if (!database.isEmbedded)
      await waitForDatabase(database.url, log.for('database'), { seconds: config.databaseWaitSeconds, signal });
    if (signal.aborted) return;
    const signer = await startSigner(config, { log: log.for('signer'), databaseUrl: database.url });
    lifetime.add('the signer', signer.stop);
    const metrics = createMetrics({
      kind: 'signer',
      readState: () => signerState(signer),
      readProcess: () => hangSamples(config.dataDir, 'signer'),
    });
    lifetime.add('the metrics', async () => metrics.close());
    watch?.opened({ metrics, isReady: async () => (await readSoon(signer.waiting)) !== undefined });
    // With a parent process, the parent logs this.
    if (process.send === undefined) log.info('Latchkey signer is running.');
    else process.send(readyMessage);
    watchdog = startWatchdog({ config, log: log.for('watchdog'), kind: 'signer', children: () => lifetime.pids() });
    await end;
  } finally {
    await lifetime.end();
    await watchdog?.stop();
  }
}

async function signerState(signer: RunningSigner): Promise<Sample[]> {
  const { requests, oldestSeconds } = await signer.waiting();
  return [
    { name: 'latchkey_signer_requests', value: requests },
    { name: 'latchkey_signer_request_oldest_seconds', value: oldestSeconds },
  ];
}

/** A parent that is killed cannot pass on a signal, but its channel breaks. Without a parent this never resolves. */
function parentGone(): Promise<void> {
  return new Promise((resolve) => {
    if (process.send !== undefined) process.once('disconnect', resolve);
  });
}

/** Refuses to run a signer that has a master key of the servers: one leak would then expose both. */
export async function assertApart(config: Pick<Config, 'masterKeys' | 'signer' | 'dataDir'>): Promise<void> {
  if (config.masterKeys.length > 0)
    throw new Error(
      'The signer must not have the servers’ master keys. Start it without LATCHKEY_MASTER_KEYS, and remove it from .env.',
    );
  const [own, servers] = await Promise.all([loadSignerKeys(config), readServerKeyFile(config)]);
  if (own.some(({ key }) => servers.some((other) => Buffer.from(key).equals(other.key))))
    throw new Error(
      'The signer and the servers share a master key. Give the signer its own keys in LATCHKEY_SIGNER_MASTER_KEYS.',
    );
}

/** Returns the database for the signer's role: the configured one, or the embedded one of the data folder. */
export async function findSignerDatabase(
  config: Pick<Config, 'databaseUrl' | 'directDatabaseUrl' | 'tenantDatabaseUrl' | 'dataDir' | 'signer'>,
  log: Log,
): Promise<RunningDatabase> {
  const { databaseUrl } = config.signer;
  if (databaseUrl !== undefined)
    return { url: databaseUrl, directUrl: databaseUrl, isEmbedded: false, stop: async () => undefined };
  if (config.databaseUrl !== undefined)
    throw new Error(
      `Set LATCHKEY_SIGNER_DATABASE_URL to the same database with a role of its own, for example ${signerRole}.`,
    );
  const database = await findDatabase(config, log);
  const url = signerUrlOf(database.url);
  return { ...database, url, directUrl: url };
}

export interface RunningSigner {
  /**
   * Counts the waiting requests, and returns how long the oldest has waited. Rejects while the database does not
   * respond.
   */
  waiting(): ReturnType<typeof countWaitingRequests>;
  stop(): Promise<void>;
}

/**
 * Starts answering requests for keys and signatures. `databaseUrl` is the database with the signer's role. It listens
 * on no port: all requests come through the database. (Only a setting opens a port for metrics.)
 */
export async function startSigner(
  config: SignerConfig,
  { log, databaseUrl }: { log: Log; databaseUrl: string },
): Promise<RunningSigner> {
  const { isExposed } = await prepareSignerSchema(databaseUrl);
  if (isExposed)
    log.warn('The servers’ database role can become the signer’s, so the database does not protect the keys from it.');
  const { ctx, close } = await composeSigner(config, { log, databaseUrl });
  try {
    await checkSignerKey(ctx);
    const { rewrapped, unreadable } = await rewrapKeys(ctx);
    if (rewrapped > 0) log.info('Keys were re-encrypted with the signer’s current master key.', { rewrapped });
    if (unreadable.length > 0)
      log.error('Some keys cannot be decrypted with any of the signer’s master keys.', { count: unreadable.length });
  } catch (error) {
    await close();
    throw error;
  }
  const served = serveRequests(ctx);
  return {
    waiting: () => countWaitingRequests(ctx.db.system, ctx.clock()),
    stop: async () => {
      await served.stop();
      await close();
    },
  };
}
