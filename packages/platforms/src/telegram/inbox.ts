import { fieldsOf, Malformed, parseEntries, parseEntry } from '@latchkey/adapter-kit';
import { PlatformFailed, type TelegramEvent } from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import { idOf } from './member.ts';
import { readUpdate } from './read-update.ts';

export interface InboxOptions {
  log: Log;
  botName: string;
  /** Handles one event; an update counts as seen once this has resolved. */
  onEvent(event: TelegramEvent, updateId: number): Promise<void>;
}

/** An update that failed so often no longer holds up those behind it. */
const mostTries = 5;

const aboutUpdates = { source: 'telegram', kind: 'update' };

/** Throws `Malformed`. */
function updateIdOf(value: unknown): number {
  const id = Number(idOf(fieldsOf(value, 'an update').update_id, 'the number of an update'));
  if (id < 0) throw new Malformed('the number of an update is negative');
  return id;
}

function notUnderstood(): PlatformFailed {
  return new PlatformFailed('unavailable', 'Telegram answered in a form that is not understood.', 30);
}

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
   * given up once an update behind it succeeds, which an outage of our own would not let happen. A malformed one is passed
   * over at once: sent again, it would be the same.
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
    // Without an id there is no way past them; asking again at once would get the same.
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
    this.#options.log.error('An update of Telegram could not be handled and is given up.', { updateId, reason });
  }
}
