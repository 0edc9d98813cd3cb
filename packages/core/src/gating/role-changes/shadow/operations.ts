import { op, pageOf, pageParams, T, text } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../../communities/access/index.ts';
import { communityParam } from '../../../shared/community-id.ts';
import { getShadowMode, listShadowDifferences, ShadowDifference, ShadowMode } from './reads.ts';
import { returnToShadow, startShadowMode, takeOverFromShadow } from './switch.ts';

const reads = communityAdmin('communityId', 'role-manager');
const decides = confirmedCommunityAdmin('communityId', 'role-manager');

export const shadowOperations = [
  op(
    'GET /latchkey/communities/{communityId}/shadow-mode',
    {
      id: 'getShadowMode',
      summary: 'Get shadow mode and its differences',
      description:
        'Returns whether a community is in shadow mode, and how many roles differed from its rules on each day. For community admins.',
      access: reads,
      params: { communityId: communityParam },
      returns: ShadowMode,
    },
    getShadowMode,
  ),
  op(
    'GET /latchkey/communities/{communityId}/shadow-mode/differences',
    {
      id: 'listShadowDifferences',
      summary: 'List role differences for a day',
      description:
        'Returns the roles that the rules of a community would have granted or removed on a day, as last seen on that day. Members whose holdings could not be read are not included. For community admins.',
      access: reads,
      params: {
        communityId: communityParam,
        day: T.Optional(
          text('The day in UTC, for example 2026-01-31. Defaults to today.', {
            format: 'date',
            // PostgreSQL has no year 0.
            pattern: '^[1-9]',
            maxLength: 10,
          }),
        ),
        ...pageParams,
      },
      returns: pageOf(ShadowDifference, 'ShadowDifferencePage'),
      paginated: 'token',
    },
    listShadowDifferences,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/shadow-mode',
    {
      id: 'startShadowMode',
      summary: 'Start shadow mode',
      description:
        'Stops changing roles in a community, so that Latchkey can run alongside another bot. Rules are still evaluated, and differences are kept for 90 days. Pending role changes are canceled. For community admins.',
      audit: 'shadow-mode.start',
      access: decides,
      params: { communityId: communityParam },
      returns: ShadowMode,
    },
    startShadowMode,
  ),
  op(
    'POST /latchkey/communities/{communityId}/shadow-mode/take-over',
    {
      id: 'takeOverFromShadow',
      summary: 'Take over from the other bot',
      description:
        'Ends shadow mode: checks every member and applies all differences as one change set. Returns immediately; `takeOver` in the shadow mode shows the progress, and the mode ends when everyone has been checked. Roles that cannot be evaluated stay unchanged. Calling it again in the meantime has no effect. Fails with STATE_CONFLICT if the community is not in shadow mode. Stop the other bot first. For community admins.',
      audit: 'shadow-mode.take-over',
      access: decides,
      params: { communityId: communityParam },
      returns: ShadowMode,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    takeOverFromShadow,
  ),
  op(
    'POST /latchkey/communities/{communityId}/shadow-mode/return',
    {
      id: 'returnToShadow',
      summary: 'Undo the takeover',
      description:
        'Restores the roles that the takeover changed and restarts shadow mode. A takeover in progress is canceled. Changes made by later change sets stay. If it removes roles from many members, a recent sign-in is required, and if the approval policy says so, the roles are restored once an admin approves the change set. Fails with STATE_CONFLICT if there was no takeover. For community admins.',
      audit: 'shadow-mode.return',
      access: decides,
      params: { communityId: communityParam },
      returns: ShadowMode,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    returnToShadow,
  ),
] as const;
