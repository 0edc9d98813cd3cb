import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { createMetrics, hangSamples, readSoon, type Sample } from '../metrics/index.ts';
import { Lifetime } from '../run/lifetime.ts';
import { firstSignal } from '../run/signals.ts';
import { waitForDatabase } from '../run/wait-for-database.ts';
import { openWatch } from '../run/watch.ts';
import { startWatchdog, type Watchdog } from '../watchdog/watchdog.ts';
import { assertApart } from './assert-apart.ts';
import { findSignerDatabase } from './find-database.ts';
import { type RunningSigner, startSigner } from './start.ts';

/** What a signer that was started by another process says to it when it answers requests. */
export const readyMessage = 'ready';

/** Runs the signer alone until a signal ends it, or the process that started it. */
export async function runSigner(config: Config, log: RootLog): Promise<void> {
  await assertApart(config);
  if (config.baseUrl === undefined && process.send === undefined)
    log.warn('LATCHKEY_BASE_URL is not set: the signer takes the local address for the one of the servers.');
  const lifetime = new Lifetime(log);
  const end = Promise.race([firstSignal(), parentGone()]);
  const leaving = new AbortController();
  void end.then(() => leaving.abort());
  let watchdog: Watchdog | undefined;
  try {
    // A signer that another process started shares that one's settings, and its port.
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
    // Whoever started it speaks for it; alone it speaks for itself.
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

/** A parent that is killed cannot pass a signal on, but the channel to it breaks. Without a parent this never ends. */
function parentGone(): Promise<void> {
  return new Promise((resolve) => {
    if (process.send !== undefined) process.once('disconnect', resolve);
  });
}
