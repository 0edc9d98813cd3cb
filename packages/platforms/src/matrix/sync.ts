import { type Fields, fieldsOf } from '@latchkey/adapter-kit';
import { type ChatListener, PlatformFailed } from '@latchkey/core/ports';
import { createBackoff, type Log, type Random } from '@latchkey/kernel';
import { type MatrixClient, MatrixRefused } from './client.ts';
import { readSync, type Spaces } from './read-sync.ts';
import { readSpaces } from './rooms.ts';

export interface MatrixBotOptions {
  log: Log;
  random: Pick<Random, 'bytes' | 'id'>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const retrying = { firstMs: 2_000, longestMs: 60_000, stableMs: 0 };
const idleMs = 2_000;
const waitMs = 25_000;
const longestBytes = 64_000_000;

const none = { types: [] };
const spaceTypes = ['m.room.create', 'm.space.child'];
const heard = [
  'm.room.member',
  'm.room.message',
  'm.room.encrypted',
  'm.room.power_levels',
  'm.room.tombstone',
  'm.space.child',
];

const filter = JSON.stringify({
  presence: none,
  account_data: none,
  room: {
    timeline: { limit: 100, types: heard },
    state: { types: spaceTypes },
    ephemeral: none,
    account_data: none,
  },
});

/**
 * Delivers events by long polling (`/sync`) until the signal aborts. The homeserver keeps no position for the bot: the listener does, so
 * that a process that takes over continues where the last one was.
 */
export async function listenToSync(
  client: MatrixClient,
  listener: ChatListener,
  { log, random, sleep }: MatrixBotOptions,
  signal: AbortSignal,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, signal).catch(() => undefined);
  const backoff = createBackoff({ ...retrying, random });
  let turn: { spaces: Spaces; since: string | undefined } | undefined;
  while (!signal.aborted) {
    try {
      if (!(await listener.isTurn())) {
        turn = undefined;
        await pause(idleMs);
        continue;
      }
      turn ??= { spaces: await readSpaces(client, signal), since: await listener.position() };
      const { since } = turn;
      const { answer, isAnew } = await syncFrom(client, since, signal);
      // A process that lost its turn while waiting leaves the events to the current one.
      if (!(await listener.isTurn())) continue;
      const { to, events } = readSync(answer, {
        botId: await client.ownId(signal),
        spaces: turn.spaces,
        isAnew,
        since,
      });
      await listener.take({ from: since, to, events });
      turn.since = to;
      backoff.succeeded();
    } catch (error) {
      if (signal.aborted) break;
      // Another process may have handled the events meanwhile, or the database may have refused them.
      turn = undefined;
      const requestedMs = 1_000 * ((error instanceof PlatformFailed ? error.retryAfterSeconds : undefined) ?? 0);
      const pauseMs = Math.max(Math.min(requestedMs, retrying.longestMs), backoff.nextDelayMs());
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('Could not read or process Matrix events; retrying.', { reason, pauseSeconds: pauseMs / 1_000 });
      await pause(pauseMs);
    }
  }
}

/** `isAnew`: the homeserver no longer knows the position, as after a restored backup, so events in between are lost. */
async function syncFrom(client: MatrixClient, since: string | undefined, signal: AbortSignal) {
  if (since === undefined) return { answer: await sync(client, { filter, timeout: '0' }, signal), isAnew: false };
  try {
    return { answer: await sync(client, { filter, since, timeout: String(waitMs) }, signal), isAnew: false };
  } catch (error) {
    if (!(error instanceof MatrixRefused) || error.kind !== 'malformed') throw error;
    return { answer: await sync(client, { filter, timeout: '0' }, signal), isAnew: true };
  }
}

async function sync(client: MatrixClient, query: Record<string, string>, signal?: AbortSignal): Promise<Fields> {
  const path = `/client/v3/sync?${new URLSearchParams({ ...query, set_presence: 'offline' })}`;
  const timeoutMs = waitMs + 30_000;
  return fieldsOf(await client.call('GET', path, { signal, timeoutMs, maxBytes: longestBytes }), 'the events');
}
