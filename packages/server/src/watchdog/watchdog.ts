import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { membership } from '../processes/member.ts';
import { cellOf, mostChildren, tickMs } from './agreed.mjs';
import { hangsFile, type WatchedKind } from './hangs.ts';

export interface WatchdogOptions {
  config: Pick<Config, 'dataDir' | 'hangSeconds'>;
  log: Log;
  kind: WatchedKind;
  /** Returns the child processes that must not outlive this one. */
  children(): readonly number[];
}

export interface Watchdog {
  stop(): Promise<void>;
}

const root = new URL('../../../../', import.meta.url).href;
const oldMb = 64;
const youngMb = 2;

/**
 * Watches this process's event loop from another thread, and kills the process with its children when the loop has been
 * blocked for `hangSeconds`. Start it once the process is up: the start itself may block for long.
 */
export function startWatchdog({ config, log, kind, children }: WatchdogOptions): Watchdog | undefined {
  if (config.hangSeconds === 0) return undefined;
  if (process.pid === 1)
    log.warn(
      'This process has PID 1, so its watchdog cannot kill it if it hangs. Run it under an init process, for example with docker run --init.',
    );
  const memory = new SharedArrayBuffer((cellOf.firstChild + mostChildren) * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(memory);
  const beat = () => {
    const pids = children();
    for (let n = 0; n < mostChildren; n += 1) Atomics.store(cells, cellOf.firstChild + n, pids[n] ?? 0);
    // A debugger may pause the main thread for any length of time.
    Atomics.store(cells, cellOf.isDebugged, inspector.url() === undefined ? 0 : 1);
    Atomics.add(cells, cellOf.beat, 1);
  };
  beat();
  const timer = setInterval(beat, tickMs).unref();
  const thread = new Worker(new URL('./thread.mjs', import.meta.url), {
    workerData: {
      memory,
      limitMs: config.hangSeconds * 1000,
      name: kind,
      recordFile: hangsFile(config.dataDir, kind, membership()?.place),
      root,
    },
    resourceLimits: { maxOldGenerationSizeMb: oldMb, maxYoungGenerationSizeMb: youngMb },
    execArgv: [],
    env: {},
  });
  thread.unref();
  thread.once('error', (error) => log.error('The watchdog failed; this process runs without it.', { error }));
  return {
    stop: async () => {
      clearInterval(timer);
      await thread.terminate();
    },
  };
}
