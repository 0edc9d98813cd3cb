import { admin, choice, NoContent, op, pageOf, pageParams, T, text } from '@latchkey/kernel';
import { getMails, MailState } from './mails.ts';
import { decideKeptTicket, listKeptTickets, TicketDecisionBody, TicketEntry, ticketFolders } from './tickets.ts';
import {
  getWaitingList,
  inviteGuest,
  listGuests,
  removeGuest,
  replaceSigner,
  WaitingListGuest,
  WaitingListState,
} from './waiting-list.ts';

const userId = text('Who it is, for example DIS#USER#123.', { minLength: 1, maxLength: 128 });

export const deskOperations = [
  op(
    'GET /latchkey/operator/tickets',
    {
      id: 'listKeptTickets',
      summary: 'List support tickets',
      description:
        'Returns the support tickets that this server keeps, newest first. Those of an outside help desk are read there. For the operator.',
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
      onRecord: ['decision'],
      facts: { needsNoKey: 'The same decision twice changes nothing.', senderDecides: 'decision' },
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
      description: 'Returns who is invited to the waiting list past its price. For the operator.',
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
      description: 'Invites somebody to the waiting list past its price. For the operator.',
      audit: 'waiting-list.invite',
      facts: { samples: { userId: 'DIS#USER#999999999999' } },
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
        'Revokes an invitation to the waiting list. People who are already on the list stay there. For the operator.',
      audit: 'waiting-list.invite',
      facts: { samples: { userId: 'DIS#USER#999999999999' } },
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
        'Signs quotes with a new key from now on. Every contract refuses them until its setSigner was called with the new address. Fails with NOT_CONFIGURED without a waiting list. For the operator.',
      audit: 'waiting-list.replace-signer',
      facts: { needsNoKey: 'The response names the signer that counts, however often it was replaced.' },
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
