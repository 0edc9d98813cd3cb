import { fieldsOf, Malformed, parseEntries, parseEntry } from '@latchkey/adapter-kit';
import { PlatformFailed, type TelegramEvent } from '@latchkey/core/ports';
import { createBackoff, type Log, type Random } from '@latchkey/kernel';
import { createTelegramClient, type TelegramCall, type TelegramOptions } from './client.ts';
import { idOf } from './member.ts';
import { readUpdate, wantedUpdates } from './read-update.ts';

export interface PollOptions extends TelegramOptions, Omit<InboxOptions, 'botName'> {
  /** How long a long-polling request waits for updates. */
  waitSeconds?: number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** For the jitter of retries. */
  random: Pick<Random, 'bytes'>;
  /** How long confirming the handled updates may delay the end of a process. */
  farewellMs?: number;
  /** Whether this process is the one that polls: Telegram gives the updates of a bot to one at a time. Defaults to true. */
  isTurn?(): Promise<boolean>;
}

const retrying = { firstMs: 2_000, longestMs: 60_000, stableMs: 0 };
const idleSeconds = 2;

/** Polls Telegram for updates until the signal aborts. Unhandled updates are requested again. */
export async function pollUpdates(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { log, waitSeconds = 25, farewellMs = 2_000 } = options;
  const call = createTelegramClient({ ...options, timeoutMs: (waitSeconds + 10) * 1000 });
  const pause = (seconds: number) => options.sleep(seconds * 1000, signal).catch(() => undefined);
  let inbox: Inbox | undefined;
  const backoff = createBackoff({ ...retrying, random: options.random });
  while (!signal.aborted) {
    try {
      if (options.isTurn && !(await options.isTurn())) {
        inbox = undefined;
        await pause(idleSeconds);
        continue;
      }
      inbox ??= new Inbox({ ...options, botName: await beginPolling(call, signal) });
      const updates = await ask(call, inbox.offset, waitSeconds, signal);
      // A process that lost its turn while waiting leaves them to the current one: Telegram delivers them again.
      if (options.isTurn && !(await options.isTurn())) continue;
      await inbox.handle(updates);
      backoff.succeeded();
    } catch (error) {
      if (signal.aborted) break;
      const requestedMs = 1_000 * ((error instanceof PlatformFailed ? error.retryAfterSeconds : undefined) ?? 0);
      // Not sooner than Telegram demands, and within a minute.
      const pauseSeconds = Math.max(Math.min(requestedMs, retrying.longestMs), backoff.nextDelayMs()) / 1_000;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('Could not read or process Telegram updates; retrying.', { reason, pauseSeconds });
      await pause(pauseSeconds);
    }
  }
  // So that the next poll does not return handled updates. A failure has no other effect.
  if (inbox !== undefined && inbox.offset > 0) await confirm(call, inbox.offset, farewellMs);
}

function ask(call: TelegramCall, offset: number, timeout: number, signal?: AbortSignal) {
  return call((api, abort) => api.getUpdates({ offset, timeout, allowed_updates: [...wantedUpdates] }, abort), signal);
}

async function confirm(call: TelegramCall, offset: number, farewellMs: number): Promise<void> {
  await ask(call, offset, 0, AbortSignal.timeout(farewellMs)).catch(() => undefined);
}

/** Deletes a webhook, because Telegram gives no updates to pollers while one is set. Returns the bot's name. */
async function beginPolling(call: TelegramCall, signal: AbortSignal): Promise<string> {
  await call((api, abort) => api.deleteWebhook({}, abort), signal);
  return (await call((api, abort) => api.getMe(abort), signal)).username;
}

interface InboxOptions {
  log: Log;
  botName: string;
  /** Handles one event. An update counts as handled once this has resolved. */
  onEvent(event: TelegramEvent, updateId: number): Promise<void>;
}

/** An update that failed this often no longer blocks those after it. */
const mostTries = 5;

const aboutUpdates = { source: 'telegram', kind: 'update' };

/** Throws `Malformed`. */
function updateIdOf(value: unknown): number {
  const id = Number(idOf(fieldsOf(value, 'an update').update_id, 'the number of an update'));
  if (id < 0) throw new Malformed('the number of an update is negative');
  return id;
}

function notUnderstood(): PlatformFailed {
  return new PlatformFailed('unavailable', 'Telegram sent an unexpected response.', 30);
}

/** Handles updates in order and tracks its position. */
export class Inbox {
  /** The first update that is still to be handled. */
  offset = 0;
  readonly #tries = new Map<number, number>();
  readonly #options: InboxOptions;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /**
   * Handles updates until one fails, and rethrows its error. One that failed too often is skipped; it is dropped once a later update
   * succeeds, which rules out an outage of our own. A malformed one is skipped at once: it would be the same if sent again.
   */
  async handle(updates: unknown): Promise<void> {
    if (!Array.isArray(updates)) throw notUnderstood();
    const known = parseEntries(
      updates,
      { ...aboutUpdates, idOf: ({ id }: { id: number; update: unknown }) => String(id) },
      (value) => ({
        id: updateIdOf(value),
        update: value,
      }),
    ).entries;
    // Without an id they cannot be skipped; polling again at once would return the same.
    if (known.length === 0 && updates.length > 0) throw notUnderstood();
    let stuck: { id: number; error: unknown }[] = [];
    for (const { id, update } of known) {
      try {
        const event = parseEntry(update, aboutUpdates, (value) => readUpdate(value, this.#options.botName))?.parsed;
        if (event !== undefined) await this.#options.onEvent(event, id);
        else if (stuck.length > 0) continue;
      } catch (error) {
        stuck.push({ id, error });
        if (this.#countTry(id) < mostTries) break;
        continue;
      }
      for (const { id: lostId, error } of stuck) this.#giveUp(lostId, error);
      stuck = [];
      this.offset = id + 1;
    }
    for (const id of this.#tries.keys()) if (id < this.offset) this.#tries.delete(id);
    if (stuck[0] !== undefined) throw stuck[0].error;
  }

  #countTry(id: number): number {
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    return tries;
  }

  #giveUp(updateId: number, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log.error('Failed to process a Telegram update; dropping it.', { updateId, reason });
  }
}
