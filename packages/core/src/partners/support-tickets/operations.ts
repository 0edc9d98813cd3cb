import { choice, op, resource, T, text, user } from '@latchkey/kernel';
import { createTicket, dailyTickets } from './create.ts';
import { defaultDays, listTickets } from './list.ts';
import { GetAllTicketsResponse, PostTicket, PostTicketResponse } from './ticket.ts';

const words = 'requester|stats|company|description';

export const supportTickets = resource('support-tickets', 'Requests for support to the operator.', [
  op(
    'POST /freshdesk/tickets',
    {
      id: 'createTicket',
      sdk: 'FreshdeskController.createTicket',
      summary: 'Open a support ticket',
      description: `Opens a ticket about a community that the caller is in or manages. If the operator uses Freshdesk, it is created there; otherwise this server stores it and mails it to the operator. Limited to ${dailyTickets} tickets per day.`,
      access: user(),
      body: PostTicket,
      returns: PostTicketResponse,
      errors: ['ENTITY_NOT_FOUND', 'RATE_LIMITED', 'UNAVAILABLE'],
    },
    createTicket,
  ),
  op(
    'GET /freshdesk/tickets',
    {
      id: 'listTickets',
      sdk: 'FreshdeskController.listTickets',
      summary: 'List tickets',
      description: `Returns the tickets that the caller opened, or all of them for the operator, by the filters of Freshdesk’s own list, at most 1,000. Without updatedSince, only those of the last ${defaultDays} days are returned, and spam or deleted ones only on request.`,
      access: user(),
      params: {
        filter: T.Optional(
          choice('A predefined filter of the desk.', ['new_and_my_open', 'watching', 'spam', 'deleted']),
        ),
        include: T.Optional(
          text('What to add to each ticket, separated by commas: requester, stats, company, description.', {
            pattern: `^(${words})(,(${words})){0,3}$`,
            maxLength: 64,
          }),
        ),
        companyId: T.Optional(T.Number({ description: 'Only those of a company.', minimum: 1, multipleOf: 1 })),
        requesterId: T.Optional(T.Number({ description: 'Only those of this requester.', minimum: 1, multipleOf: 1 })),
        email: T.Optional(text('Only those with this reply address.', { maxLength: 254 })),
        updatedSince: T.Optional(
          text('Only those changed since, for example 2026-01-31T12:00:00Z.', { maxLength: 64 }),
        ),
        orderBy: T.Optional(choice('What to sort by.', ['created_at', 'due_by', 'updated_at', 'status'])),
        orderType: T.Optional(choice('The sort order. Defaults to descending.', ['asc', 'desc'])),
      },
      returns: GetAllTicketsResponse,
      errors: ['UNAVAILABLE'],
    },
    listTickets,
  ),
]);
