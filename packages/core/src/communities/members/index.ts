import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { membersErasure } from './forget.ts';
import { memberOperations } from './operations.ts';

export { catchUp } from './catch-up.ts';
export { findMemberNames, searchMemberIds } from './find-people.ts';
export { selectMemberList } from './list-queries.ts';
export type { CommunityMember } from './member.ts';
export { type MemberNews, noteMember } from './note-member.ts';
export { describeMembers, foundMembers, memberFilter } from './operations.ts';
export {
  countHolders,
  countHoldersOfAny,
  countPresent,
  type MemberRow,
  markChecked,
  markLeft,
  presentByCommunity,
  putMembers,
  type SeenMember,
  selectActive,
  selectCommunitiesOf,
  selectMembers,
  selectNamed,
  selectPresent,
  selectRolesOf,
} from './queries.ts';
export { refreshMembers, syncMembers } from './sync-members.ts';

export const membersModule = defineModule('members', {
  resources: [ownOperations(memberOperations)],
  erasures: [membersErasure],
  tables: ['community_members', 'member_lists'],
});
