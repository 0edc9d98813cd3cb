import type { TelegramEvent } from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import type { Update } from 'grammy/types';
import { readUpdate } from './read-update.ts';

export interface InboxOptions {
  log: Log;
  botName: string;
  /** Handles one event; an update counts as seen once this has resolved. */
  onEvent(event: TelegramEvent, updateId: number): Promise<void>;
}

/** An update that failed so often no longer holds up those behind it. */
const mostTries = 5;

/** Handles updates in their order and knows how far it came. */
export class Inbox {
  /** The first update that is still to be handled. */
  offset = 0;
  readonly #tries = new Map<number, number>();
  readonly #options: InboxOptions;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /**
   * Handles updates until one fails, and throws what it failed with. One that failed too often is passed over; it is
   * given up once an update behind it succeeds, which an outage of our own would not let happen.
   */
  async handle(updates: readonly Update[]): Promise<void> {
    let stuck: { id: number; error: unknown }[] = [];
    for (const update of updates) {
      const id = update.update_id;
      try {
        const event = readUpdate(update, this.#options.botName);
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
    this.#options.log.error('An update of Telegram could not be handled and is given up.', { updateId, reason });
  }
}
