import type { Clock } from '../clock.ts';
import { conflict } from './errors.ts';
import type { Update } from './types.ts';

const keptMs = 24 * 3_600_000;
/** Updates that are only sent if requested by name. */
const onlyByName = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);
const firstUpdateId = 700_000_000;

/** The updates of one bot: kept for a day, until they are polled or delivered. */
export class Mailbox {
  readonly #clock: Clock;
  #updates: Update[] = [];
  #nextId = firstUpdateId;
  #allowed: ReadonlySet<string> | undefined;
  #wake: (() => void) | undefined;
  #endWait: ((reason: 'other' | 'stop') => void) | undefined;
  /** Called for each new update while a webhook is set. */
  onUpdate: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  put(kind: string, body: unknown): void {
    const isWanted = this.#allowed === undefined ? !onlyByName.has(kind) : this.#allowed.has(kind);
    if (!isWanted) return;
    this.#updates.push({ update_id: this.#nextId, kind, atMs: this.#clock(), body });
    this.#nextId += 1;
    this.#wake?.();
    this.onUpdate?.();
  }

  /** Sets the kinds to keep from now on. An empty list restores the default. */
  allow(kinds: readonly string[] | undefined): void {
    if (kinds !== undefined) this.#allowed = kinds.length === 0 ? undefined : new Set(kinds);
  }

  allowed(): readonly string[] | undefined {
    return this.#allowed && [...this.#allowed];
  }

  pending(): readonly Update[] {
    const oldestMs = this.#clock() - keptMs;
    this.#updates = this.#updates.filter(({ atMs }) => atMs > oldestMs);
    return this.#updates;
  }

  clear(): void {
    this.#updates = [];
  }

  /** Deletes handled updates. A negative number counts from the end. */
  confirm(offset: number): void {
    const from = offset < 0 ? (this.#updates.at(offset)?.update_id ?? this.#updates[0]?.update_id ?? 0) : offset;
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= from);
  }

  /** Long polling: waits for the first update. A second caller ends the first one. */
  async wait(timeoutSeconds: number, limit: number): Promise<readonly Update[]> {
    this.#endWait?.('other');
    if (this.pending().length === 0 && timeoutSeconds > 0) {
      const ended = await new Promise<'update' | 'timeout' | 'other' | 'stop'>((resolve) => {
        const timer = setTimeout(() => resolve('timeout'), timeoutSeconds * 1000);
        const end = (why: 'update' | 'other' | 'stop') => {
          clearTimeout(timer);
          resolve(why);
        };
        this.#wake = () => end('update');
        this.#endWait = end;
      });
      if (ended === 'other') {
        throw conflict('terminated by other getUpdates request; make sure that only one bot instance is running');
      }
      this.#wake = undefined;
      this.#endWait = undefined;
    }
    return this.pending().slice(0, limit);
  }

  stop(): void {
    this.#endWait?.('stop');
  }
}

export function viewUpdate({ update_id, kind, body }: Update) {
  return { update_id, [kind]: body };
}
