import {
  admin,
  choice,
  NoContent,
  op,
  type Page,
  pageOf,
  pageParams,
  record,
  T,
  text,
  texts,
  type ValueOf,
} from '@latchkey/kernel';
import {
  decideTicket,
  selectFolder,
  shownOwn,
  type TicketDecision,
  type TicketFolder,
  ticketDecisions,
} from '../../partners/support-tickets/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import {
  getWaitingList,
  inviteGuest,
  listGuests,
  removeGuest,
  replaceSigner,
  WaitingListGuest,
  WaitingListState,
} from './waiting-list.ts';

const ticketFolders: readonly TicketFolder[] = ['open', 'done', 'spam', 'deleted'];

const statuses: Readonly<Record<number, TicketEntry['status']>> = {
  2: 'open',
  3: 'pending',
  4: 'resolved',
  5: 'closed',
};

const TicketEntry = record('TicketEntry', 'A support ticket that is stored on this server.', {
  id: T.Number({ description: 'The number of the ticket.', minimum: 0 }),
  status: choice('Its status.', ['open', 'pending', 'resolved', 'closed']),
  subject: text('What it is about.', { maxLength: 10_000 }),
  description: text('The description, as plain text.', { maxLength: 200_000 }),
  email: text('The reply address.'),
  communityId: text('The community it is about.'),
  createdById: text('Who opened it.'),
  createdTime: text('When it was opened, in ISO 8601.'),
  updatedTime: text('When it was last changed, in ISO 8601.'),
});
type TicketEntry = ValueOf<typeof TicketEntry>;

const TicketDecisionBody = record('TicketDecision', 'An update to a ticket.', {
  decision: choice('What to do.', ticketDecisions),
});

const described = new Set(['description']);

/**
 * Lists tickets of this server's own desk, newest first. Those of an external help desk are read and answered there.
 */
async function listKeptTickets(
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

function decideKeptTicket(
  ctx: Context,
  { id, body }: { id: number; body: { decision: TicketDecision } },
): Promise<void> {
  return decideTicket(ctx, { id, decision: body.decision });
}

const mostMails = 50;

const MailState = record('MailState', 'Where mails go, and what the built-in catcher holds.', {
  delivery: choice('server: to a mail server; catcher: they are kept here and not sent; none: every mail fails.', [
    'server',
    'catcher',
    'none',
  ]),
  isCatcherReached: T.Boolean({ description: 'Whether the catcher responded; false if there is none.' }),
  caught: T.Array(
    record('CaughtMail', 'A mail that was caught instead of being sent.', {
      to: texts('The recipients.'),
      subject: text('Its subject.', { maxLength: 1000 }),
      text: text('Its text.', { maxLength: 200_000 }),
      receivedTime: text('When, in ISO 8601.'),
    }),
    { description: 'The last mails that the catcher holds, newest first.', maxItems: mostMails },
  ),
});
type MailState = ValueOf<typeof MailState>;

async function getMails({ installation }: Pick<Context, 'installation'>): Promise<MailState> {
  const caught = installation.mail === 'catcher' ? await installation.caughtMails() : undefined;
  return {
    delivery: installation.mail,
    isCatcherReached: caught !== undefined,
    caught: (caught ?? []).slice(0, mostMails).map((mail) => ({
      to: [...mail.to],
      subject: mail.subject,
      text: mail.text.trim(),
      receivedTime: mail.receivedAt,
    })),
  };
}

const userId = text('The user id, for example DIS#USER#123.', { minLength: 1, maxLength: 128 });

export const deskOperations = [
  op(
    'GET /latchkey/operator/tickets',
    {
      id: 'listKeptTickets',
      summary: 'List support tickets',
      description:
        'Returns the support tickets on this server, newest first. Tickets of an external help desk are not included. For the operator.',
      access: admin(),
      params: {
        folder: T.Optional(choice('Which tickets. Defaults to open.', ticketFolders)),
        ...pageParams,
      },
      returns: pageOf(TicketEntry, 'TicketEntryPage'),
      paginated: 'token',
    },
    listKeptTickets,
  ),
  op(
    'POST /latchkey/operator/tickets/{id}/decision',
    {
      id: 'decideTicket',
      summary: 'Update a support ticket',
      description: 'Opens, resolves, closes or deletes a ticket, or marks it as spam. For the operator.',
      audit: 'ticket.decide',
      auditedFields: ['decision'],
      access: admin(),
      params: { id: T.Number({ description: 'The number of the ticket.', minimum: 1, multipleOf: 1, maximum: 1e15 }) },
      body: TicketDecisionBody,
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    decideKeptTicket,
  ),
  op(
    'GET /latchkey/operator/waiting-list',
    {
      id: 'getWaitingList',
      summary: 'Get the waiting list',
      description:
        'Returns whether the waiting list is open and which signer its contracts must trust. For the operator.',
      access: admin(),
      returns: WaitingListState,
    },
    getWaitingList,
  ),
  op(
    'GET /latchkey/operator/waiting-list/guests',
    {
      id: 'listWaitingListGuests',
      summary: 'List invited guests',
      description: 'Returns the users who are invited to the waiting list without paying. For the operator.',
      access: admin(),
      params: pageParams,
      returns: pageOf(WaitingListGuest, 'WaitingListGuestPage'),
      paginated: 'token',
    },
    listGuests,
  ),
  op(
    'PUT /latchkey/operator/waiting-list/guests/{userId}',
    {
      id: 'inviteWaitingListGuest',
      summary: 'Invite a guest',
      description: 'Invites a user to the waiting list without paying. For the operator.',
      audit: 'waiting-list.invite',
      access: admin(),
      params: { userId },
      returns: NoContent,
      errors: ['INVALID_PARAMETER_VALUE'],
    },
    inviteGuest,
  ),
  op(
    'DELETE /latchkey/operator/waiting-list/guests/{userId}',
    {
      id: 'removeWaitingListGuest',
      summary: 'Revoke an invitation',
      description:
        'Revokes an invitation to the waiting list. Users who are already on the list stay there. For the operator.',
      audit: 'waiting-list.invite',
      access: admin(),
      params: { userId },
      returns: NoContent,
    },
    removeGuest,
  ),
  op(
    'POST /latchkey/operator/waiting-list/signer',
    {
      id: 'replaceWaitingListSigner',
      summary: 'Replace the waiting-list signer',
      description:
        'Signs quotes with a new key from now on. Contracts reject them until setSigner is called with the new address. Fails with NOT_CONFIGURED without a waiting list. For the operator.',
      audit: 'waiting-list.replace-signer',
      access: admin(),
      returns: WaitingListState,
      errors: ['NOT_CONFIGURED'],
    },
    replaceSigner,
  ),
  op(
    'GET /latchkey/operator/mails',
    {
      id: 'getMails',
      summary: 'Get mail delivery',
      description:
        'Returns where mails go, and what the built-in mail catcher of a trial holds, newest first. For the operator.',
      access: admin(),
      returns: MailState,
    },
    getMails,
  ),
] as const;
