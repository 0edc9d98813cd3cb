import { publish, type Sql } from '@latchkey/db';
import type { Feed } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { Announcement, Changed } from './announcement.ts';

const topic = 'announcements';
/** As many ids as fit into one message of the bus with room to spare. */
const mostAccounts = 100;

/** Tells pages that are open to look again, once the transaction is through. */
export async function announce(tx: Sql, announcement: Announcement): Promise<void> {
  const { accounts = [], ...rest } = announcement;
  await publish(tx, topic, { ...rest, accounts: accounts.slice(0, mostAccounts) });
  for (let at = mostAccounts; at < accounts.length; at += mostAccounts)
    await publish(tx, topic, { changed: rest.changed, accounts: accounts.slice(at, at + mostAccounts) });
}

/** What a page hears. */
export interface LiveEvent {
  changed: Changed;
  id?: string;
}

/** The announcements that somebody wants, as they come. After a break of the line everything may have changed. */
export function announcementsFor(
  { bus }: Pick<Context, 'bus'>,
  wants: (announcement: Announcement) => boolean,
): Pick<Feed<LiveEvent>, 'open'> {
  return {
    open: (hear) => {
      const ends = [
        bus.subscribe(topic, (message) => {
          const announcement = message as unknown as Announcement;
          const { changed, id } = announcement;
          if (wants(announcement)) hear({ changed, ...(id !== undefined && { id }) });
        }),
        bus.onReconnect(() => hear({ changed: 'everything' })),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
