import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { memberOperations } from './operations.ts';

export { type CommunityMember, describeMembers, foundMembers, memberFilter } from './operations.ts';
export {
  catchUp,
  type MemberNews,
  noteMember,
  type RolesChanged,
  refreshMembers,
  syncMembers,
} from './sync-members.ts';

export const membersModule = defineModule('members', { resources: [ownOperations(memberOperations)] });
