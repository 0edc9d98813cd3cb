import { NoContent, op, pageOf, pageParams, shape, T, text } from '@latchkey/kernel';
import { communityParam } from '../../shared/community-id.ts';
import { communityAdmin, confirmedCommunityAdmin } from '../access/index.ts';
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
        'Returns the members who currently hold a guest pass, the earliest expiry first. For community admins.',
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
        'Gives a pass to a member. Its roles are granted at once and removed when it expires. Giving it again restarts the period. Fails with STATE_CONFLICT if the pass is inactive.',
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
      description: 'Ends a member’s pass now, and removes the roles that it granted.',
      audit: 'guest-pass.end',
      access: confirmedCommunityAdmin('communityId'),
      params: { ...params, userId },
      returns: NoContent,
    },
    endGuestPass,
  ),
] as const;
