import { op, pageOf, pageParams } from '@latchkey/kernel';
import { communityAdmin } from '../../../communities/communities/index.ts';
import { communityId, time, userId } from '../api/params.ts';
import { listMemberRolesAt } from './roles-at.ts';
import { MemberRolesAt, TimelineEntry } from './shapes.ts';
import { listMemberTimeline } from './timeline.ts';

export const memberHistoryOperations = [
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles-at',
    {
      id: 'listMemberRolesAt',
      summary: 'List a member’s roles at a time',
      description:
        'Returns which roles a member had at a time, each with the entry that gave or took it: when, by which plan and for which reason. Knows what Latchkey gave and took; roles that were changed by hand on the platform are not in it. For community admins.',
      facts: { idsOfNobody: { userId: 'Looked for in the ledger of the community that admits the caller.' } },
      access: communityAdmin('communityId', 'role-manager'),
      params: { communityId, userId, at: time },
      returns: MemberRolesAt,
    },
    listMemberRolesAt,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/timeline',
    {
      id: 'listMemberTimeline',
      summary: 'List a member’s history',
      description:
        'Returns what happened to a member of a community, newest first: roles that Latchkey gave and took with the reasons, wallets they linked, guest passes, and what others did to them. For community admins, signed in to this server; no scope grants it.',
      facts: { idsOfNobody: { userId: 'Looked for in the records of the community that admits the caller.' } },
      // As the audit log, of which it shows a part.
      access: communityAdmin('communityId'),
      params: { communityId, userId, ...pageParams },
      returns: pageOf(TimelineEntry, 'TimelinePage'),
      paginated: 'token',
    },
    listMemberTimeline,
  ),
] as const;
