import { hashSecret } from '@latchkey/db';
import type { Actor, Clock, Random } from '@latchkey/kernel';

export const ticketMinutes = 10;

/** Links that sign a browser in to the console once. They live in this process, and for minutes. */
export interface ConsoleTickets {
  /** Creates a link for the user that `actor` returns when it is used. */
  issue(actor: () => Actor): string;
  /** The user a ticket signs in, without consuming it; undefined when it is unknown, used or expired. */
  find(ticket: string): Actor | undefined;
  /** The same, and uses the ticket up. */
  take(ticket: string): Actor | undefined;
}

export function createTickets({ clock, random }: { clock: Clock; random: Random }): ConsoleTickets {
  const open = new Map<string, { actor: () => Actor; until: number }>();
  const find = (hash: string) => {
    const found = open.get(hash);
    return found === undefined || found.until <= clock().getTime() ? undefined : found.actor();
  };
  return {
    issue: (actor) => {
      const ticket = random.id(43);
      open.set(hashSecret(ticket), { actor, until: clock().getTime() + ticketMinutes * 60_000 });
      return `/console/enter/${ticket}`;
    },
    find: (ticket) => find(hashSecret(ticket)),
    take: (ticket) => {
      const hash = hashSecret(ticket);
      const actor = find(hash);
      open.delete(hash);
      return actor;
    },
  };
}
