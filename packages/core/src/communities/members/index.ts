import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { memberOperations } from './operations.ts';

export { catchUp } from './catch-up.ts';
export { type MemberNews, noteMember, type RolesChanged } from './note-member.ts';
export { type CommunityMember, describeMembers, foundMembers, memberFilter } from './operations.ts';
export { refreshMembers, syncMembers } from './sync-members.ts';

export const membersModule = defineModule('members', { resources: [ownOperations(memberOperations)] });
