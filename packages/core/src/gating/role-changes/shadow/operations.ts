import { op, pageOf, pageParams, T, text } from '@latchkey/kernel';
import { communityAdmin, communityParam, confirmedCommunityAdmin } from '../../../communities/community/index.ts';
import { getShadowMode, listShadowDifferences } from './reads.ts';
import { ShadowDifference, ShadowMode } from './shapes.ts';
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
        'Returns whether a community is in shadow mode, and how far its roles were from its rules on each day. For community admins.',
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
      summary: 'List differences of a day',
      description:
        'Returns the roles that the rules of a community would have granted or removed on a day, as last seen on it. Members whose holdings could not be read are not in it. For community admins.',
      access: reads,
      params: {
        communityId: communityParam,
        day: T.Optional(
          text('The day in UTC, for example 2026-01-31. Defaults to today.', {
            format: 'date',
            // The database knows no year 0.
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
        'Stops writing roles in a community, so that it can run beside another bot. Rules are still evaluated, and where they differ from the roles is kept for 90 days. Role changes that wait are given up. For community admins.',
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
        'Ends shadow mode: checks every member and writes all differences as one change set. This returns at once; `takeOver` of the shadow mode shows the progress, and the mode ends when everybody was checked. What cannot be read stays as it is. Calling it again meanwhile changes nothing. Fails with STATE_CONFLICT if the community is not in shadow mode. Stop the other bot first. For community admins.',
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
      summary: 'Undo the take-over',
      description:
        'Puts back the roles that the take-over changed and starts shadow mode again. A take-over that is under way is cancelled. Changes that other change sets made since stay. Fails with STATE_CONFLICT if there was no take-over. For community admins.',
      audit: 'shadow-mode.return',
      access: decides,
      params: { communityId: communityParam },
      returns: ShadowMode,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    returnToShadow,
  ),
] as const;
