import { type Bus, publish, type Sql } from '@latchkey/db';
import type { Feed } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { Announcement, Changed } from './announcement.ts';

const mostKept = 1_000;
/** The age is measured from before the client's read, and the request to listen takes time too. */
const marginMs = 10_000;

/** The latest announcements that this process received, for pages that read before they subscribed. */
export class Recent {
  readonly #heard: { atMs: number; announcement: Announcement }[] = [];
  readonly #now: () => number;
  #sinceMs: number;

  constructor(bus: Pick<Bus, 'subscribe' | 'onReconnect'>, topic: string, now = () => performance.now()) {
    this.#now = now;
    this.#sinceMs = now();
    bus.subscribe(topic, (message) => this.#keep(message as unknown as Announcement));
    bus.onReconnect(() => {
      this.#heard.length = 0;
      this.#sinceMs = this.#now();
    });
  }

  /** Returns the announcements since a client's last read; undefined if some may be missing here. */
  since(ageSeconds: number): Announcement[] | undefined {
    const fromMs = this.#now() - ageSeconds * 1000 - marginMs;
    if (fromMs < this.#sinceMs) return undefined;
    return this.#heard.filter(({ atMs }) => atMs >= fromMs).map(({ announcement }) => announcement);
  }

  #keep(announcement: Announcement): void {
    this.#heard.push({ atMs: this.#now(), announcement });
    if (this.#heard.length > mostKept) this.#sinceMs = (this.#heard.shift()?.atMs ?? this.#now()) + 1;
  }
}

const topic = 'announcements';
/** Fits into one message of the bus. */
const mostAccounts = 100;

/** Notifies open pages to reload, once the transaction commits. */
export async function announce(tx: Sql, announcement: Announcement): Promise<void> {
  const { accounts = [], ...rest } = announcement;
  await publish(tx, topic, { ...rest, accounts: accounts.slice(0, mostAccounts) });
  for (let at = mostAccounts; at < accounts.length; at += mostAccounts)
    await publish(tx, topic, { changed: rest.changed, accounts: accounts.slice(at, at + mostAccounts) });
}

/** An event for a page. */
export interface LiveEvent {
  changed: Changed;
  id?: string;
}

const recents = new WeakMap<Bus, Recent>();

/**
 * Returns the announcements that a client subscribed to, preceded by those it missed since its last read. After a lost
 * connection, anything may have changed.
 */
export function announcementsFor(
  { bus }: Pick<Context, 'bus'>,
  wants: (announcement: Announcement) => boolean,
  readSecondsAgo?: number,
): Pick<Feed<LiveEvent>, 'open'> {
  const recent = recents.get(bus) ?? new Recent(bus, topic);
  recents.set(bus, recent);
  return {
    open: (hear) => {
      const tell = (announcement: Announcement) => {
        const { changed, id } = announcement;
        if (wants(announcement)) hear({ changed, ...(id !== undefined && { id }) });
      };
      const ends = [
        bus.subscribe(topic, (message) => tell(message as unknown as Announcement)),
        bus.onReconnect(() => hear({ changed: 'everything' })),
      ];
      const missed = readSecondsAgo === undefined ? [] : recent.since(readSecondsAgo);
      if (missed === undefined) hear({ changed: 'everything' });
      else for (const announcement of missed) tell(announcement);
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
