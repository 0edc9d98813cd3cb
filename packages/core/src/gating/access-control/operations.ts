import { app, guarded, op, resource, T } from '@latchkey/kernel';
import { communityReader } from '../../communities/communities/index.ts';
import { checkRoles } from './check-roles.ts';
import { getCheckRolesResponse, getCommunityUserRoles, ownsCheck } from './reads.ts';
import { TokenGatingRequest, TokenGatingResponse } from './token-gating.ts';

export const accessControl = resource('access-control', 'Which roles an account qualifies for by what it holds.', [
  op(
    'POST /access-control/check-roles',
    {
      id: 'checkRoles',
      sdk: 'AccessControlController.checkRoles',
      summary: 'Check roles for a wallet',
      description:
        'Decides for each role that the rules name whether the account qualifies for it: a role is granted when any of its rules is met. A role that could not be decided, because a chain did not answer for instance, is left out of roles and named in errors. With async or a callbackUrl the answer is a requestId; the result is then kept for a day, and sent to the callbackUrl, signed in X-CollabLand-Signature with the webhook secret of the client application.',
      facts: {
        needsNoKey: 'Asks chains; a repetition decides the same again and changes nothing.',
        senderDecides: 'account rules callbackUrl async',
        idsOfNobody: {
          chainId: 'A chain.',
          tokenId: 'A token, public on its chain.',
          eventId: 'A public event.',
          roleId: 'A role, given in the community of the rule only.',
          id: 'The caller’s own name for a rule.',
        },
      },
      access: app('token-gating'),
      body: TokenGatingRequest,
      returns: TokenGatingResponse,
    },
    checkRoles,
  ),
  op(
    'GET /access-control/check-roles/responses/{requestId}',
    {
      id: 'getCheckRolesResponse',
      sdk: 'AccessControlController.getCheckRolesResponse',
      summary: 'Get the result of an async check',
      description:
        'Returns the result of an earlier check, for 24 hours and only to the caller who started it. Until it is decided, the response holds only the requestId.',
      access: guarded(app('token-gating'), 'requestId', 'request', ownsCheck),
      params: { requestId: T.String({ description: 'The id of the request.', minLength: 1, maxLength: 64 }) },
      returns: TokenGatingResponse,
    },
    getCheckRolesResponse,
  ),
  op(
    'GET /access-control/{communityId}/{userId}/roles',
    {
      id: 'getCommunityUserRoles',
      sdk: 'AccessControlController.getRoles',
      summary: 'Check a member’s roles',
      description:
        'Decides which roles of the community the member qualifies for by the wallets the member linked. Nothing is changed. For the community’s admins and their applications.',
      facts: { idsOfNobody: { userId: 'Somebody in the community that admits the caller.' } },
      access: communityReader('communityId', 'token-gating'),
      params: {
        communityId: T.String({ description: 'The id of the community.', minLength: 1, maxLength: 128 }),
        userId: T.String({
          description: 'The id of the member: the platform’s own, or with its platform (DIS#USER#…).',
          minLength: 1,
          maxLength: 128,
        }),
      },
      returns: TokenGatingResponse,
    },
    getCommunityUserRoles,
  ),
]);
