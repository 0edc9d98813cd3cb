import { OpenObject, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { DeskTicket } from '../../ports/index.ts';
import { communityIdField } from '../../shared/community-id.ts';

const email = { pattern: '^[^\\s@<>,;"]{1,64}@[^\\s@<>,;"]{1,189}$', maxLength: 254 };
const whole = (description: string, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) =>
  T.Number({ description, minimum, maximum, multipleOf: 1 });

export const PostTicket = record('PostTicket', 'A request for support.', {
  subject: text('What it is about, in a line.', { minLength: 1, maxLength: 255 }),
  description: text('What happened, as HTML or plain text.', { minLength: 1, maxLength: 32_000 }),
  communityId: communityIdField('The community it is about; the caller must be in it or manage it.'),
  type: T.Optional(text('The type of request, as the help desk calls it.', { maxLength: 100 })),
  priority: T.Optional(whole('1 low, 2 medium, 3 high, 4 urgent. Defaults to 1.', 1, 4)),
  parent_id: T.Optional(whole('The ticket that this one belongs to.')),
  status: T.Optional(whole('2 open, 3 pending, 4 resolved, 5 closed. Defaults to 2.', 2, 5)),
  requester_id: T.Optional(whole('The requester; only the operator can act for others.')),
  responder_id: T.Optional(whole('The agent who should respond.')),
  custom_fields: T.Optional(OpenObject),
  group_id: T.Optional(whole('The group that should respond.')),
  product_id: T.Optional(whole('The product it is about.')),
  email: text('The reply address.', email),
  tags: T.Optional(T.Array(text('A tag.', { maxLength: 32 }), { description: 'Tags.', maxItems: 20 })),
  cc_emails: T.Optional(
    T.Array(text('An e-mail address.', email), { description: 'Who else receives the responses.', maxItems: 5 }),
  ),
});
export type PostTicket = ValueOf<typeof PostTicket>;

const time = (description: string) => T.Optional(text(description, { maxLength: 64 }));
const number = (description: string) => T.Optional(T.Number({ description }));

const TicketStats = record('TicketStats', 'The times of a ticket’s events.', {
  first_responded_at: time('When it got its first response.'),
  resolved_at: time('When it was resolved.'),
  closed_at: time('When it was closed.'),
});

const TicketRequester = record('TicketRequester', 'Who asked.', {
  id: number('The requester’s id at the help desk.'),
  name: T.Optional(text('Their name.')),
  email: T.Optional(text('Their e-mail address.')),
});

const TicketCompany = record('TicketCompany', 'The requester’s company.', {
  id: number('The id of the company at Freshdesk.'),
  name: T.Optional(
    text('The company at Freshdesk; on the desk of this server, which has none, the id of the community it is about.'),
  ),
});

export const Ticket = record('Ticket', 'A ticket of the help desk.', {
  id: number('Its number.'),
  subject: T.Optional(text('What it is about.')),
  description: T.Optional(text('What happened, as HTML; only when requested with include.', { maxLength: 100_000 })),
  description_text: T.Optional(text('The same without HTML.', { maxLength: 100_000 })),
  status: number('2 open, 3 pending, 4 resolved, 5 closed.'),
  priority: number('1 low, 2 medium, 3 high, 4 urgent.'),
  type: T.Optional(text('The type of request.')),
  tags: T.Optional(texts('Tags.')),
  cc_emails: T.Optional(texts('Who else receives the responses.')),
  requester_id: number('Who asked.'),
  responder_id: number('Who answers.'),
  company_id: number('The company of the requester.'),
  group_id: number('The group that responds.'),
  product_id: number('The product it is about.'),
  parent_id: number('The ticket that this one belongs to.'),
  custom_fields: T.Optional(OpenObject),
  spam: T.Optional(T.Boolean({ description: 'Whether it is spam.' })),
  deleted: T.Optional(T.Boolean({ description: 'Whether it is deleted.' })),
  due_by: time('When it should be resolved.'),
  created_at: time('When it was created.'),
  updated_at: time('When it was last changed.'),
  stats: T.Optional(TicketStats),
  requester: T.Optional(TicketRequester),
  company: T.Optional(TicketCompany),
});
export type Ticket = ValueOf<typeof Ticket>;

export const PostTicketResponse = record('PostTicketResponse', 'The created ticket.', {
  data: T.Optional(Ticket),
  status: number('201.'),
});
export type PostTicketResponse = ValueOf<typeof PostTicketResponse>;

export const GetAllTicketsResponse = record('GetAllTicketsResponse', 'Tickets.', {
  data: T.Optional(T.Array(Ticket, { description: 'The tickets, in the requested order.', maxItems: 5000 })),
  status: number('200.'),
});
export type GetAllTicketsResponse = ValueOf<typeof GetAllTicketsResponse>;

/** Converts a ticket of an external desk to the API's record: empty fields are omitted. */
export function toTicket(found: DeskTicket): Ticket {
  const { stats, requester, company, ...rest } = found;
  // The response schema selects the fields and serializes each with its type.
  return {
    ...dropNull(rest),
    stats: dropNull(stats),
    requester: dropNull(requester),
    company: dropNull(company),
  } as Ticket;
}

function dropNull(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
