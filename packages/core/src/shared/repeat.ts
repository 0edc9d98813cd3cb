import { setTimeout as delay } from 'node:timers/promises';
import { createBackoff } from '@latchkey/kernel';
import type { Context } from './context.ts';

export interface Repeating {
  /** The pause when there is nothing to do. Failures in a row add to it, exponentially and with jitter. */
  pauseMs: number;
  longestPauseMs: number;
  /** Its name in the log, and the message when an attempt fails. */
  topic: string;
  failure: string;
}

/** Repeats a task until stopped: immediately while it makes progress, otherwise after a pause. */
export async function repeat(
  ctx: Pick<Context, 'log' | 'random'>,
  signal: AbortSignal,
  { pauseMs, longestPauseMs, topic, failure }: Repeating,
  step: () => Promise<string>,
): Promise<void> {
  const backoff = createBackoff({ firstMs: pauseMs, longestMs: longestPauseMs, stableMs: 0, random: ctx.random });
  let failures = 0;
  while (!signal.aborted) {
    let result = 'failed';
    try {
      result = await step();
      failures = result === 'failed' ? failures + 1 : 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      // An outage logs one warning, not one for each try.
      const level = failures === 1 ? 'warn' : 'debug';
      ctx.log.for(topic)[level](failure, { reason: String(error) });
    }
    if (result === 'moved') continue;
    if (failures === 0) backoff.succeeded();
    const waitMs = failures === 0 ? pauseMs : pauseMs + backoff.nextDelayMs();
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}
