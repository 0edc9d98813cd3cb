import { NoContent, op, pageOf, pageParams, shape, T, text } from '@latchkey/kernel';
import { communityAdmin, communityParam, confirmedCommunityAdmin } from '../community/index.ts';
import { endGuestPass, GuestPassHolder, giveGuestPass, listGuestPassHolders } from './holders.ts';

const params = {
  communityId: communityParam,
  passId: T.String({ description: 'The id of the pass.', minLength: 1, maxLength: 64 }),
};
const userId = text('The id of the member, for example DIS#USER#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});

export const guestPassHolderOperations = [
  op(
    'GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders',
    {
      id: 'listGuestPassHolders',
      summary: 'List holders of a guest pass',
      description:
        'Returns the members who hold a guest pass now, those whose pass ends first at the top. For community admins.',
      access: communityAdmin('communityId'),
      params: { ...params, ...pageParams },
      returns: pageOf(GuestPassHolder, 'GuestPassHolderPage'),
      paginated: 'token',
    },
    listGuestPassHolders,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}',
    {
      id: 'giveGuestPass',
      summary: 'Give a member a guest pass',
      description:
        'Gives a pass to a member: its roles are given at once and removed when its period is over. Giving it again starts the period again. Fails with STATE_CONFLICT if the pass is inactive.',
      audit: 'guest-pass.give',
      access: confirmedCommunityAdmin('communityId'),
      params: { ...params, userId },
      returns: shape(T.Object({ endsTime: text('When the pass ends, in ISO 8601.') })),
      errors: ['STATE_CONFLICT', 'INVALID_PARAMETER_VALUE'],
    },
    giveGuestPass,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}',
    {
      id: 'endGuestPass',
      summary: 'End a member’s guest pass',
      description: 'Ends the pass of one member now, and removes the roles that it gave.',
      audit: 'guest-pass.end',
      access: confirmedCommunityAdmin('communityId'),
      params: { ...params, userId },
      returns: NoContent,
    },
    endGuestPass,
  ),
] as const;
