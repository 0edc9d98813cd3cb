import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { signerUrlOf } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import { type Config, signerEnvironment } from '../config.ts';
import type { RunningDatabase } from '../run/find-database.ts';
import { hangSignal } from '../watchdog/agreed.mjs';
import { readyMessage } from './run.ts';

const program = fileURLToPath(new URL('./main.ts', import.meta.url));
const firstPauseMs = 500;
const longestPauseMs = 30_000;
const graceMs = 3_000;

export interface SuperviseOptions {
  /** The database URL with the signer's role. */
  databaseUrl: string;
  log: Log;
  /** Additional environment variables, besides those that a signer reads. */
  environment?: Record<string, string>;
}

export interface SupervisedSigner {
  /** Resolves with true when the signer is ready for the first time, or with false after `withinMs`. */
  ready(withinMs: number): Promise<boolean>;
  pid(): number | undefined;
  stop(): Promise<void>;
}

/**
 * Runs the signer as part of a whole Latchkey, unless the operator turned it off or it has no database role of its own.
 */
export function startWithSigner(
  { signer }: Pick<Config, 'signer'>,
  { url, isEmbedded }: Pick<RunningDatabase, 'url' | 'isEmbedded'>,
  log: Log,
  baseUrl: string,
): SupervisedSigner | undefined {
  if (signer.isWanted === false) return undefined;
  const databaseUrl = signer.databaseUrl ?? (isEmbedded ? signerUrlOf(url) : undefined);
  if (databaseUrl !== undefined)
    return superviseSigner({
      databaseUrl,
      log: log.for('signer'),
      environment: { LATCHKEY_BASE_URL: baseUrl },
    });
  log.warn('Hosted wallets are off: the signer needs its own database role in LATCHKEY_SIGNER_DATABASE_URL.');
  return undefined;
}

/** Runs the signer in its own process, and restarts it whenever it exits unexpectedly. */
export function superviseSigner({ databaseUrl, log, environment = {} }: SuperviseOptions): SupervisedSigner {
  const ended = new AbortController();
  const firstReady = Promise.withResolvers<boolean>();
  let child: ChildProcess | undefined;

  function launch(): ChildProcess {
    return fork(program, {
      execArgv: ['--enable-source-maps'],
      env: signerEnvironment({ ...environment, LATCHKEY_SIGNER_DATABASE_URL: databaseUrl }),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // In its own session it does not get our Ctrl-C, so that it stops after the processes that use it.
      detached: true,
    });
  }

  async function live(): Promise<void> {
    for (let failures = 0; !ended.signal.aborted; ) {
      child = launch();
      child.on('message', (message) => {
        if (message !== readyMessage) return;
        failures = 0;
        log.debug('The signer is available.', { pid: child?.pid });
        firstReady.resolve(true);
      });
      const [code, signal] = await once(child, 'exit');
      if (ended.signal.aborted) return;
      if (signal === hangSignal) log.warn('The signer hung and was killed by its watchdog; restarting it.');
      else log.warn('The signer exited unexpectedly; restarting it.', { reason: signal ?? `exit code ${code}` });
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
      failures += 1;
      await delay(pauseMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }

  const life = live();
  return {
    ready: (withinMs) => Promise.race([firstReady.promise, delay(withinMs, false, { ref: false })]),
    pid: () => child?.pid,
    stop: async () => {
      ended.abort();
      child?.kill('SIGTERM');
      const hurry = setTimeout(() => child?.kill('SIGKILL'), graceMs);
      await life;
      clearTimeout(hurry);
    },
  };
}
