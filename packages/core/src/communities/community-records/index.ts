import { defineModule } from '../../shared/module.ts';
import { communityErasure } from './queries.ts';

export {
  activeCommunities,
  type CommunityChange,
  type CommunityFilter,
  type CommunityRow,
  type CommunityStatus,
  claimDueChecks,
  communityMetrics,
  communityStates,
  countOnPlatform,
  deleteCommunity,
  getCommunity,
  giveToHeirs,
  holdCommunity,
  insertCommunity,
  listByName,
  listCommunities,
  lockCommunity,
  lockOwnCommunity,
  searchCommunities,
  selectActiveAmong,
  selectByPlatformId,
  selectCommunitiesOfMember,
  selectCommunity,
  selectCommunityNames,
  selectExisting,
  selectWithBot,
  setNextCheck,
  updateCommunity,
} from './queries.ts';

export const communityRecordsModule = defineModule('community-records', {
  erasures: [communityErasure],
  tables: ['communities'],
});
