export { membersFeature } from './feature.ts';
export { type MemberNews, noteMember } from './note-member.ts';
export {
  countHolders,
  type MemberRow,
  markChecked,
  markLeft,
  putMembers,
  type SeenMember,
  selectActive,
  selectCommunitiesOf,
  selectMembers,
  selectNamed,
  selectPresent,
} from './queries.ts';
export { refreshMembers, syncMembers } from './sync-members.ts';
