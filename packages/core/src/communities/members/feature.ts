import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { membersErasure } from './forget.ts';
import { memberOperations } from './operations.ts';

export const membersFeature = feature('members', {
  resources: [ownOperations(memberOperations)],
  erasures: [membersErasure],
  tables: ['community_members', 'member_lists'],
});
