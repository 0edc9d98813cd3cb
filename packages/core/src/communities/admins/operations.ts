import { listOf, NoContent, op, text } from '@latchkey/kernel';
import { communityAdmin, communityRuler } from '../communities/index.ts';
import { addCommunityAdmin, removeCommunityAdmin } from './change-admins.ts';
import { CommunityAdmin, listCommunityAdmins } from './list-admins.ts';

const communityId = text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});
const userId = text('The id of the user, for example DIS#USER#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});
const facts = { idsOfNobody: { userId: 'Any member may become an admin of the community that admits the caller.' } };
const freshSignIn =
  'You must have signed in within the last minutes. For community admins, signed in to this server; no scope grants it.';

export const adminOperations = [
  op(
    'GET /latchkey/communities/{communityId}/admins',
    {
      id: 'listCommunityAdmins',
      summary: 'List a community’s admins',
      description:
        'Returns who manages a community and why: because the chat platform lets them, or because another admin or the operator named them. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params: { communityId },
      returns: listOf(CommunityAdmin, 'The admins, the longest first.'),
    },
    listCommunityAdmins,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/admins/{userId}',
    {
      id: 'addCommunityAdmin',
      summary: 'Make a member an admin',
      description: `Makes somebody an admin of a community, and asks the chat platform about them: a person who may manage the community there is an admin for as long as that lasts; a member whom it does not is an admin until they leave, or until the admin who named them is removed. Adding an admin again changes nothing. ${freshSignIn} Fails with STATE_CONFLICT for somebody who is neither a member nor a manager there, and for more than 100 admins.`,
      audit: 'community.admins',
      facts,
      access: communityRuler('communityId'),
      params: { communityId, userId },
      returns: CommunityAdmin,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT', 'INVALID_PARAMETER_VALUE'],
    },
    addCommunityAdmin,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/admins/{userId}',
    {
      id: 'removeCommunityAdmin',
      summary: 'Remove an admin',
      description: `Removes an admin from a community, and the admins whom only they named. Nothing changes on the chat platform: a person who may manage the community there can become an admin here again. ${freshSignIn} Fails with STATE_CONFLICT for the owner, and for an admin without whom you would not be one.`,
      audit: 'community.admins',
      facts,
      access: communityRuler('communityId'),
      params: { communityId, userId },
      returns: NoContent,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT'],
    },
    removeCommunityAdmin,
  ),
] as const;
