import { setTimeout as delay } from 'node:timers/promises';
import { answerNext } from './answer-next.ts';
import { deleteExpired } from './queries.ts';
import { requestTopic } from './request.ts';
import type { SignerContext } from './signer-context.ts';

const idlePauseMs = 1_000;
const keptSeconds = 60;

export interface ServedRequests {
  stop(): Promise<void>;
}

/** Answers requests until told to stop: at once when the bus tells of one, and by looking every second in case it does not. */
export function serveRequests(ctx: SignerContext): ServedRequests {
  const ended = new AbortController();
  let wake = new AbortController();
  const hear = () => wake.abort();
  const ends = [ctx.bus.subscribe(requestTopic, hear), ctx.bus.onReconnect(hear)];

  async function step(): Promise<boolean> {
    if (await answerNext(ctx)) return true;
    await deleteExpired(ctx.db.system, new Date(ctx.clock().getTime() - keptSeconds * 1000));
    return false;
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!ended.signal.aborted) {
      wake = new AbortController();
      const hasMore = await step().then(
        (result) => {
          failures = 0;
          return result;
        },
        (error: unknown) => {
          failures += 1;
          // An hour without a database is one line, not one for each try.
          ctx.log[failures === 1 ? 'warn' : 'debug']('Requests could not be read; trying again.', { error });
          return false;
        },
      );
      if (hasMore) continue;
      const signal = failures > 0 ? ended.signal : AbortSignal.any([ended.signal, wake.signal]);
      await delay(idlePauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  const done = loop();
  return {
    stop: async () => {
      for (const end of ends) end();
      ended.abort();
      await done;
    },
  };
}
