import {
  admin,
  choice,
  listOf,
  NoContent,
  op,
  pageOf,
  pageParams,
  platformNames,
  record,
  T,
  text,
} from '@latchkey/kernel';
import { listSignatures } from '../../services/signer/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { selectErasures } from '../../surfaces/account/index.ts';
import { CommunityEntry, CommunityTransfer, communityStatuses, listAllCommunities, transfer } from './communities.ts';
import { getPerson, listPeople, PersonDetails, PersonEntry } from './people.ts';

const userId = text('The qualified id, for example DIS#USER#123.', { minLength: 1, maxLength: 128 });

const SignedText = record('SignedText', 'Something that a hosted wallet signed.', {
  signedTime: text('When, in ISO 8601.'),
  purpose: text('What for.'),
  address: text('The wallet.'),
  clientId: T.Optional(text('The application that requested it.')),
  text: text('What was signed.', { maxLength: 100_000 }),
});

const WaitingErasure = record('WaitingErasure', 'An account that is being erased.', {
  userId: text('The account.'),
});

const mostSignatures = 100;

export const directoryOperations = [
  op(
    'GET /latchkey/operator/communities',
    {
      id: 'listAllCommunities',
      summary: 'List all communities',
      description: 'Returns the communities of this server in the order of their ids. For the operator.',
      access: admin(),
      params: {
        search: T.Optional(text('An id, or the start of a name, ignoring case.', { minLength: 1, maxLength: 200 })),
        platform: T.Optional(choice('Only those on this chat platform.', platformNames)),
        status: T.Optional(choice('Only those in this status.', communityStatuses)),
        ...pageParams,
      },
      returns: pageOf(CommunityEntry, 'CommunityEntryPage'),
      paginated: 'token',
    },
    listAllCommunities,
  ),
  op(
    'POST /latchkey/operator/communities/{communityId}/transfer',
    {
      id: 'transferCommunity',
      summary: 'Change a community’s owner',
      description:
        'Makes a person the owner and an admin of a community, for example when its last admin has left. Rights on the chat platform are not checked. For the operator.',
      audit: 'community.transfer',
      auditedFields: ['reason'],
      access: admin(),
      params: { communityId: communityParam },
      body: CommunityTransfer,
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_PARAMETER_VALUE'],
    },
    transfer,
  ),
  op(
    'GET /latchkey/operator/people',
    {
      id: 'listPeople',
      summary: 'List people',
      description:
        'Returns the people of this server in the order of their ids: everyone who is in a community or linked a wallet. For the operator.',
      access: admin(),
      params: {
        search: T.Optional(
          text('An id, a wallet address, or the start of a name, ignoring case.', {
            minLength: 1,
            maxLength: 200,
          }),
        ),
        ...pageParams,
      },
      returns: pageOf(PersonEntry, 'PersonEntryPage'),
      paginated: 'token',
    },
    listPeople,
  ),
  op(
    'GET /latchkey/operator/people/{userId}',
    {
      id: 'getPerson',
      summary: 'Get a person',
      description: 'Returns a person’s name, linked wallets and communities. For the operator.',
      access: admin(),
      params: { userId },
      returns: PersonDetails,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getPerson,
  ),
  op(
    'GET /latchkey/operator/people/{userId}/signatures',
    {
      id: 'listSignaturesOf',
      summary: 'List a hosted wallet’s signatures',
      description: `Returns the last ${mostSignatures} texts that the hosted wallet of a person signed, newest first. For the operator.`,
      access: admin(),
      params: { userId },
      returns: listOf(SignedText, 'What was signed, newest first.'),
    },
    async (ctx: Context, request: { userId: string }) =>
      (await listSignatures(ctx.db.system, request.userId, mostSignatures)).map((row) => ({
        signedTime: row.signed_at.toISOString(),
        purpose: row.purpose,
        address: row.address,
        ...(row.client_id !== null && { clientId: row.client_id }),
        text: row.text,
      })),
  ),
  op(
    'GET /latchkey/operator/erasures',
    {
      id: 'listErasures',
      summary: 'List erasures in progress',
      description:
        'Returns the accounts whose erasure waits until the roles that depend on them are removed, oldest first. For the operator.',
      access: admin(),
      returns: listOf(WaitingErasure, 'The accounts, oldest first.'),
    },
    async (ctx: Context) => (await selectErasures(ctx.db.system)).map((id) => ({ userId: id })),
  ),
] as const;
