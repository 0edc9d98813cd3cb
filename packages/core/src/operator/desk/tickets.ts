import { choice, type Page, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import {
  decideTicket,
  selectFolder,
  shownOwn,
  type TicketDecision,
  type TicketFolder,
  ticketDecisions,
} from '../../partners/support-tickets/index.ts';

export const ticketFolders: readonly TicketFolder[] = ['open', 'done', 'spam', 'deleted'];

const statuses: Readonly<Record<number, TicketEntry['status']>> = {
  2: 'open',
  3: 'pending',
  4: 'resolved',
  5: 'closed',
};

export const TicketEntry = record('TicketEntry', 'A support ticket that this server keeps.', {
  id: T.Number({ description: 'The number of the ticket.', minimum: 0 }),
  status: choice('How far it is.', ['open', 'pending', 'resolved', 'closed']),
  subject: text('What it is about.', { maxLength: 10_000 }),
  description: text('What was written, as plain text.', { maxLength: 200_000 }),
  email: text('Where the person is answered.'),
  communityId: text('The community it is about.'),
  createdById: text('Who opened it.'),
  createdTime: text('When it was opened, in ISO 8601.'),
  updatedTime: text('When it was last changed, in ISO 8601.'),
});
export type TicketEntry = ValueOf<typeof TicketEntry>;

export const TicketDecisionBody = record('TicketDecision', 'What the operator makes of a ticket.', {
  decision: choice('What to do.', ticketDecisions),
});

const described = new Set(['description']);

/** Tickets of this server's own desk, newest first. Those of an outside help desk are read and answered there. */
export async function listKeptTickets(
  ctx: Context,
  { folder = 'open', ...request }: PageRequest & { folder?: TicketFolder },
): Promise<Page<TicketEntry>> {
  const page = await paginate(ctx, request, {
    list: `tickets:${folder}`,
    read: (after, limit) =>
      selectFolder(ctx.db.system, folder, after === undefined ? undefined : Number(after[0]), limit),
    cursorOf: ({ id }) => [String(id)],
  });
  return {
    ...page,
    items: page.items.map((row) => {
      const shown = shownOwn(row, described);
      return {
        id: row.id,
        status: statuses[row.status ?? 0] ?? 'open',
        subject: shown.subject ?? '',
        description: shown.description_text ?? '',
        email: row.email,
        communityId: row.community_id,
        createdById: row.created_by_id,
        createdTime: row.created_at.toISOString(),
        updatedTime: row.updated_at.toISOString(),
      };
    }),
  };
}

export function decideKeptTicket(
  ctx: Context,
  { id, body }: { id: number; body: { decision: TicketDecision } },
): Promise<void> {
  return decideTicket(ctx, { id, decision: body.decision });
}
