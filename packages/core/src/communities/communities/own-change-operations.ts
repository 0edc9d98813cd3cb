import { NoContent, op, shape, T, text } from '@latchkey/kernel';
import { communityRuler } from './access.ts';
import { changeOwnCommunity, removeOwnCommunity } from './change-own.ts';
import { communityParam } from './params.ts';

export const ownChangeOperations = [
  op(
    'PATCH /latchkey/communities/{communityId}',
    {
      id: 'changeOwnCommunity',
      summary: 'Rename or pause a community',
      description:
        'Changes the name of a community, or pauses it: while it is paused no role is given or removed. For community admins.',
      audit: 'community.change',
      facts: { senderDecides: 'name isPaused' },
      access: communityRuler('communityId', 'community:write'),
      params: { communityId: communityParam },
      body: shape(
        T.Object({
          name: T.Optional(text('What people call the community.', { minLength: 1, maxLength: 200 })),
          isPaused: T.Optional(T.Boolean({ description: 'Whether role changes are paused.' })),
        }),
      ),
      returns: NoContent,
    },
    changeOwnCommunity,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}',
    {
      id: 'removeOwnCommunity',
      summary: 'Remove your community',
      description:
        'Deletes a community with its rules, members and settings. Nothing changes on the chat platform: everybody keeps the roles they have. You must have signed in within the last minutes.',
      audit: 'community.delete',
      access: communityRuler('communityId'),
      params: { communityId: communityParam },
      returns: NoContent,
      errors: ['PRESENCE_REQUIRED'],
    },
    removeOwnCommunity,
  ),
] as const;
