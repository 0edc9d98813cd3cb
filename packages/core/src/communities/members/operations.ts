import { op, text } from '@latchkey/kernel';
import { communityAdmin } from '../communities/index.ts';
import { getMemberList, MemberList } from './member-list.ts';

export const memberOperations = [
  op(
    'GET /latchkey/communities/{communityId}/member-list',
    {
      id: 'getMemberList',
      summary: 'Get the state of the member list',
      description:
        'Returns when the members of a community were last read from its platform, how many were listed, and whether that was everybody. A list is incomplete where the platform shows only some members: Telegram without an API id, more than 10,000 members, hidden members, or a platform that stopped answering. For community admins.',
      access: communityAdmin('communityId', 'role-manager'),
      params: {
        communityId: text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
          minLength: 1,
          maxLength: 128,
        }),
      },
      returns: MemberList,
    },
    getMemberList,
  ),
] as const;
