import { decideTicket, listTickets, type TicketDecision, ticketDecisions } from '@latchkey/core';
import { type Command, need, UsageError, unknownSubcommand } from '../command.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

const statuses: Readonly<Record<number, string>> = { 2: 'open', 3: 'pending', 4: 'resolved', 5: 'closed' };

export const tickets: Command = {
  usage: `tickets [spam|deleted] | ${ticketDecisions.join('|')} <id>`,
  meaning: 'list support tickets, and resolve the ones stored on this server',
  words: 2,
  options: {},
  run: async (ctx, [verb, id]) => {
    if (verb === undefined || verb === 'deleted' || (verb === 'spam' && id === undefined)) {
      const { data = [] } = await listTickets(ctx, {
        filter: verb,
        include: 'requester',
        updatedSince: new Date(0).toISOString(),
      });
      return printTable([
        ['ID', 'STATUS', 'PRIORITY', 'FROM', 'MADE', 'SUBJECT'],
        ...data.map((ticket) => [
          String(ticket.id),
          statuses[ticket.status ?? 0] ?? '',
          String(ticket.priority),
          ticket.requester?.email ?? '',
          ticket.created_at ?? '',
          ticket.subject ?? '',
        ]),
      ]);
    }
    if (!ticketDecisions.includes(verb as TicketDecision)) throw unknownSubcommand(verb);
    if (!/^\d{1,15}$/.test(need(id, 'ticket number'))) throw new UsageError('The ticket must be a number.');
    const decision = verb as TicketDecision;
    await runAudited(ctx, { action: 'ticket.decide', target: id, details: { decision } }, () =>
      decideTicket(ctx, { id: Number(id), decision }),
    );
    print(`Ticket ${id}: ${verb}.`);
  },
};
