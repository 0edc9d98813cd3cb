import { hashSecret } from '@latchkey/db';
import type { Actor, Clock, Random } from '@latchkey/kernel';

export const ticketMinutes = 10;

/** Links that sign a browser in to the console once. They live in this process, and for minutes. */
export interface ConsoleTickets {
  /** Makes a link for whoever `actor` answers when it is used. */
  issue(actor: () => Actor): string;
  /** Uses a ticket up; undefined when there is none, or none any more. */
  take(ticket: string): Actor | undefined;
}

export function createTickets({ clock, random }: { clock: Clock; random: Random }): ConsoleTickets {
  const open = new Map<string, { actor: () => Actor; until: number }>();
  return {
    issue: (actor) => {
      const ticket = random.id(43);
      open.set(hashSecret(ticket), { actor, until: clock().getTime() + ticketMinutes * 60_000 });
      return `/console/enter/${ticket}`;
    },
    take: (ticket) => {
      const hash = hashSecret(ticket);
      const found = open.get(hash);
      open.delete(hash);
      return found === undefined || found.until <= clock().getTime() ? undefined : found.actor();
    },
  };
}
