import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { communities } from './operations.ts';
import { ownChangeOperations } from './own-change-operations.ts';
import { communitySettingOperations } from './setting-operations.ts';
import { walletErasure } from './wallet.ts';

export { removeCommunity, setCommunityStatus } from './change.ts';
export { AdministeredCommunity, Channel, Community } from './community.ts';
export { createCommunity } from './create.ts';
export {
  findPlatformRoles,
  findRuleFaults,
  pageOfAdmin,
  pageOfMember,
  readPlatformRoles,
  readRecentRoles,
  refuseBadRoles,
} from './own-communities.ts';
export { communitiesOfAdmin, communitiesOfMember } from './reads.ts';
export {
  getCommunitySettings,
  leastCheckPeriodSeconds,
  mostCheckPeriodSeconds,
  putCheckPeriod,
  resetCheckPeriod,
  setCheckPeriod,
} from './setting-operations.ts';

export const communitiesModule = defineModule('community', {
  resources: [communities, ownOperations(communitySettingOperations), ownOperations(ownChangeOperations)],
  erasures: [walletErasure],
  tables: ['community_wallets'],
});
