import { listOf, op, pageOf, pageParams, text } from '@latchkey/kernel';
import { communityAdmin } from '../communities/index.ts';
import { memberFilter } from './filter-params.ts';
import { getMember } from './get.ts';
import { listMembers } from './list.ts';
import { listHeldRoles } from './list-roles.ts';
import { CommunityMember, HeldRole, MemberProfile } from './member.ts';
import { getMemberList, MemberList } from './member-list.ts';

const access = communityAdmin('communityId', 'role-manager');
const communityId = text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});

export const memberOperations = [
  op(
    'GET /latchkey/communities/{communityId}/member-list',
    {
      id: 'getMemberList',
      summary: 'Get the state of the member list',
      description:
        'Returns when the members of a community were last read from its platform, how many were listed, and whether that was everybody. A list is incomplete where the platform shows only some members: Telegram without an API id, more than 10,000 members, hidden members, or a platform that stopped answering. For community admins.',
      access,
      params: { communityId },
      returns: MemberList,
    },
    getMemberList,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members',
    {
      id: 'listMembers',
      summary: 'List and search members',
      description:
        'Returns the members of a community, bots apart, with their roles, how many wallets they linked and whether they hold a guest pass. Search by part of a name or id, and filter by roles, wallets and guest passes. For community admins.',
      facts: {
        samples: { roleIds: 'gold' },
      },
      access,
      params: { communityId, ...memberFilter, ...pageParams },
      returns: pageOf(CommunityMember, 'CommunityMemberPage'),
      paginated: 'token',
    },
    listMembers,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}',
    {
      id: 'getMember',
      summary: 'Get a member',
      description:
        'Returns what is known of somebody who is or was in a community: roles, linked wallets, guest passes, and when they were last seen and checked. Wallet addresses are shown to the member and the operator only. For community admins.',
      access,
      params: {
        communityId,
        userId: text('The member, by the qualified id or the platform’s own one.', { minLength: 1, maxLength: 128 }),
      },
      returns: MemberProfile,
    },
    getMember,
  ),
  op(
    'GET /latchkey/communities/{communityId}/member-roles',
    {
      id: 'listHeldRoles',
      summary: 'Count members by role',
      description:
        'Returns every role that a member of the community has, with how many members have it, the most held first. For community admins.',
      access,
      params: { communityId },
      returns: listOf(HeldRole),
    },
    listHeldRoles,
  ),
] as const;
