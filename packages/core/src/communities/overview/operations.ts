import { op, pageOf, pageParams, T, text, thePerson } from '@latchkey/kernel';
import { communityAdmin } from '../communities/index.ts';
import { ActivityEntry, listActivity } from './activity.ts';
import { CommunityHealth, getCommunityHealth } from './health.ts';
import { listMyCommunities } from './list-mine.ts';
import { MyCommunity } from './my-community.ts';
import { CommunityProfile, getCommunityProfile } from './profile.ts';

const communityId = text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});

export const overviewOperations = [
  op(
    'GET /latchkey/account/communities',
    {
      id: 'listMyCommunities',
      summary: 'List communities you manage',
      description:
        'Returns the communities that the signed-in person manages, by name, each with what waits there: role changes to approve, roles that cannot be given, and faults of the setup.',
      access: thePerson,
      params: {
        search: T.Optional(text('Only communities whose name contains this.', { maxLength: 100 })),
        ...pageParams,
      },
      returns: pageOf(MyCommunity, 'MyCommunityPage'),
      paginated: 'token',
    },
    listMyCommunities,
  ),
  op(
    'GET /latchkey/communities/{communityId}/profile',
    {
      id: 'getCommunityProfile',
      summary: 'Get a community’s name and picture',
      description:
        'Returns what people know a community by: its name, its chat platform, and where its picture is on this server. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId },
      returns: CommunityProfile,
    },
    getCommunityProfile,
  ),
  op(
    'GET /latchkey/communities/{communityId}/health',
    {
      id: 'getCommunityHealth',
      summary: 'Get a community’s health',
      description:
        'Returns how a community is doing: known faults of the setup, the last and the next re-check of all members, how closely the chains of its rules are followed, what waits, and figures about members. The figures of a community with 5,000 members or more may be up to 30 seconds old. Reads what is recorded here and asks nobody outside. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId },
      returns: CommunityHealth,
    },
    getCommunityHealth,
  ),
  op(
    'GET /latchkey/communities/{communityId}/activity',
    {
      id: 'listActivity',
      summary: 'List a community’s activity',
      description:
        'Returns what happened in a community, newest first: roles that were given and removed, and what its admins and the operator did. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params: { communityId, ...pageParams },
      returns: pageOf(ActivityEntry, 'ActivityPage'),
      paginated: 'token',
    },
    listActivity,
  ),
] as const;
