import { print } from '../cli/print.ts';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { membership } from '../processes/member.ts';
import type { WatchedKind } from '../watchdog/hangs.ts';
import { startWatchdog } from '../watchdog/watchdog.ts';
import { isAlive } from './is-alive.ts';
import { Lifetime } from './lifetime.ts';
import { firstSignal } from './signals.ts';

/** The time before the stop deadline at which this process exits without waiting. */
const marginMs = 500;

/** Starts something and runs until a signal, or the parent process, ends it. */
export async function untilSignal(
  config: Pick<Config, 'stopSeconds' | 'hangSeconds' | 'dataDir'>,
  log: RootLog,
  kind: WatchedKind,
  start: (lifetime: Lifetime) => Promise<void>,
): Promise<void> {
  const lifetime = new Lifetime(log);
  const request = membership()?.stopRequested.then(() => 'all are to stop');
  const signal = Promise.race([firstSignal(), ...(request === undefined ? [] : [request])]);
  const started = start(lifetime);
  try {
    await Promise.race([started, signal]);
  } catch (error) {
    await lifetime.end();
    throw error;
  }
  const watchdog = startWatchdog({ config, log: log.for('watchdog'), kind, children: () => lifetime.pids() });
  const received = await signal;
  if (kind === 'whole') print('\nStopping …');
  else log.info('Stopping.', { signal: received });
  setTimeout(
    () => {
      log.error('Shutdown took too long; exiting without waiting for the rest.');
      // Child processes would keep running, so at least signal them to stop.
      for (const pid of lifetime.pids()) if (isAlive(pid)) process.kill(pid, 'SIGINT');
      process.exit(1);
    },
    config.stopSeconds * 1000 - marginMs,
  ).unref();
  await lifetime.end();
  // An interrupted start still runs to its end, and may still register something to clean up.
  await started.catch(() => undefined);
  await lifetime.end();
  await watchdog?.stop();
}
