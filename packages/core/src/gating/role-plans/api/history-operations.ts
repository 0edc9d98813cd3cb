import { op, pageOf, pageParams, T } from '@latchkey/kernel';
import { communityAdmin } from '../../../communities/communities/index.ts';
import { explainMember, explainRoleAt, listHolders, listLedger } from './history-verbs.ts';
import { communityId, roleId, time, userId } from './params.ts';
import { MemberRoles, RoleAtTime, RoleLedgerEntry } from './shapes.ts';

const access = communityAdmin('communityId', 'role-manager');
const LedgerPage = pageOf(RoleLedgerEntry, 'RoleLedgerPage');

export const roleHistoryOperations = [
  op(
    'GET /latchkey/communities/{communityId}/role-ledger',
    {
      id: 'listRoleLedger',
      summary: 'List role changes',
      description:
        'Returns every role that Latchkey gave or took in a community, newest first, with the plan and the reason. Filter by member, by role or by both. For community admins.',
      facts: {
        idsOfNobody: {
          userId: 'Looked for in the ledger of the community that admits the caller.',
          roleId: 'Looked for in the ledger of the community that admits the caller.',
        },
      },
      access,
      params: { communityId, userId: T.Optional(userId), roleId: T.Optional(roleId), ...pageParams },
      returns: LedgerPage,
      paginated: 'token',
    },
    listLedger,
  ),
  op(
    'GET /latchkey/communities/{communityId}/roles/{roleId}/holders',
    {
      id: 'listRoleHolders',
      summary: 'List a role’s holders at a time',
      description:
        'Returns the members who had a role at a time, each with the entry that gave it. Knows what Latchkey gave and took; roles that were changed by hand on the platform are not in it. For community admins.',
      facts: { idsOfNobody: { roleId: 'Looked for in the ledger of the community that admits the caller.' } },
      access,
      params: { communityId, roleId, at: time, ...pageParams },
      returns: LedgerPage,
      paginated: 'token',
    },
    listHolders,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles/{roleId}',
    {
      id: 'explainRoleAtTime',
      summary: 'Explain a member’s role at a time',
      description:
        'Returns whether a member had a role at a time, with the entry that gave or took it: when, by which plan and for which reason. Knows what Latchkey gave and took; roles that were changed by hand on the platform are not in it. For community admins.',
      facts: {
        idsOfNobody: {
          userId: 'Looked for in the ledger of the community that admits the caller.',
          roleId: 'Looked for in the ledger of the community that admits the caller.',
        },
      },
      access,
      params: { communityId, userId, roleId, at: time },
      returns: RoleAtTime,
    },
    explainRoleAt,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles',
    {
      id: 'explainMemberRoles',
      summary: 'Explain a member’s roles now',
      description:
        'Evaluates every rule for a member now and returns which roles they have, which they qualify for and why. Reads wallets and the platform while you wait; nothing is changed. For community admins.',
      access,
      params: { communityId, userId },
      returns: MemberRoles,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    explainMember,
  ),
] as const;
