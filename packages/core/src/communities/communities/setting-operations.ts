import { op, shape, T } from '@latchkey/kernel';
import { communityReader, communityRuler } from './access.ts';
import { getCommunitySettings, resetCheckPeriod, setCheckPeriod } from './check-period.ts';
import { CommunitySettings, leastCheckPeriodSeconds, mostCheckPeriodSeconds } from './community-settings.ts';
import { communityParam } from './params.ts';

export const communitySettingOperations = [
  op(
    'GET /latchkey/communities/{id}/settings',
    {
      id: 'getCommunitySettings',
      summary: 'Get the settings of a community',
      description:
        'Returns how often every member is re-checked, and when that happens next. For community admins, and for client applications that list the community with `GET /communities`.',
      access: communityReader('id', 'community:read'),
      params: { id: communityParam },
      returns: CommunitySettings,
    },
    getCommunitySettings,
  ),
  op(
    'PATCH /latchkey/communities/{id}/settings',
    {
      id: 'updateCommunitySettings',
      summary: 'Change the settings of a community',
      description:
        'Sets how often every member is re-checked, from one hour to 30 days. A shorter period counts from the last re-check. Changes that Latchkey hears of (transfers, linked wallets, changed rules) are checked at once, whatever the period.',
      audit: 'community.change',
      facts: { senderDecides: 'checkPeriodSeconds' },
      access: communityRuler('id', 'community:write'),
      params: { id: communityParam },
      body: shape(
        T.Object({
          checkPeriodSeconds: T.Integer({
            description: 'How often every member is re-checked, in seconds.',
            format: 'int32',
            minimum: leastCheckPeriodSeconds,
            maximum: mostCheckPeriodSeconds,
          }),
        }),
      ),
      returns: CommunitySettings,
    },
    setCheckPeriod,
  ),
  op(
    'DELETE /latchkey/communities/{id}/settings/check-period',
    {
      id: 'resetCheckPeriod',
      summary: 'Use the default re-check period',
      description: 'Has every member re-checked as often as the plan of the community says: daily by default.',
      audit: 'community.change',
      access: communityRuler('id', 'community:write'),
      params: { id: communityParam },
      returns: CommunitySettings,
    },
    resetCheckPeriod,
  ),
] as const;
