import { setTimeout as delay } from 'node:timers/promises';
import { reserve } from '@latchkey/db';
import { createBackoff, type Log } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { DiscordGateway } from '../../ports/index.ts';

export interface BeginTurns {
  gateway: Pick<DiscordGateway, 'readPlan'>;
  bot: string;
  /** The part of a day's sessions that is left for the operator, of 1. */
  reserve: number;
  /** Discord's five seconds, and a little for messages that travel at different speeds. */
  gapMs?: number;
}

const lookAgainMs = 60_000;
const retrying = { firstMs: 2_000, longestMs: 30_000, stableMs: 0 };

/**
 * Waits until a session of a shard may begin: one at a time in each of Discord's places for all processes together, and none
 * when little is left of what a bot may begin in a day. Rejects only if the signal is aborted.
 */
export async function waitToBegin(
  ctx: Pick<Context, 'db' | 'log' | 'random'>,
  { gateway, bot, reserve: kept, gapMs = 5_500 }: BeginTurns,
  shardId: number,
  signal: AbortSignal,
): Promise<void> {
  const log = ctx.log.for('discord');
  const pause = (ms: number) => delay(ms, undefined, { signal });
  const backoff = createBackoff({ ...retrying, random: ctx.random });
  let maxConcurrency: number | undefined;
  for (;;) {
    try {
      maxConcurrency ??= (await gateway.readPlan()).maxConcurrency;
      const name = `discord/${bot}/begin/${shardId % maxConcurrency}`;
      const { isTaken, inMs } = await reserve(ctx.db.system, { name, count: 1, gapMs, aheadMs: 0 });
      if (!isTaken) {
        await pause(Math.ceil(inMs));
        continue;
      }
      // Asked when it is this one's turn, so that those before it are counted.
      const { sessionStarts } = await gateway.readPlan();
      if (sessionStarts.remaining > sessionStarts.total * kept) return signal.throwIfAborted();
      warnOfLimit(log, sessionStarts);
      await pause(Math.min(lookAgainMs, sessionStarts.resetAfterMs + 1_000));
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = backoff.nextDelayMs();
      log.warn('A Discord session cannot begin yet; trying again.', { shardId, reason: String(error), delayMs });
      await pause(delayMs);
    }
  }
}

function warnOfLimit(
  log: Log,
  { remaining, total, resetAfterMs }: { remaining: number; total: number; resetAfterMs: number },
) {
  log.warn(
    'No session of Discord is begun: little is left of what the bot may begin in a day. LATCHKEY_DISCORD_SESSION_RESERVE sets what is kept back.',
    { remaining, total, resetAfterSeconds: Math.ceil(resetAfterMs / 1000) },
  );
}
