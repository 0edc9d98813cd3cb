export { catchUp } from './catch-up.ts';
export { membersFeature } from './feature.ts';
export { memberFilter } from './filter-params.ts';
export { findMemberNames, searchMemberIds } from './find-people.ts';
export { describeMembers, foundMembers } from './list.ts';
export { selectMemberList } from './list-queries.ts';
export type { CommunityMember } from './member.ts';
export { type MemberNews, noteMember } from './note-member.ts';
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
