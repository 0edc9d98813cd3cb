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
  /** The processes that must not outlive this one, as they are at the moment. */
  children(): readonly number[];
}

export interface Watchdog {
  stop(): Promise<void>;
}

const root = new URL('../../../../', import.meta.url).href;
const oldMb = 64;
const youngMb = 2;

/**
 * Watches the event loop of this process from a thread of its own, and ends the process with its children when the loop
 * has not turned for `hangSeconds`. To be started when the process is up: starting takes long steps, and may.
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
    // A debugger holds the main thread for as long as a person thinks.
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
