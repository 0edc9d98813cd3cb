import { defineModule, type SealedColumn } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { communityJobs, communitySchedules } from './admin-jobs.ts';
import { applicationAccessOperations } from './application-access-operations.ts';
import { communitiesErasure } from './forget.ts';
import { communities } from './operations.ts';
import { ownChangeOperations } from './own-change-operations.ts';
import { communitySettingOperations } from './setting-operations.ts';
import { ownerKeyPlace } from './wallet.ts';

export {
  communityKey,
  isUserKey,
  nativeUserId,
  parseCommunityKey,
  toUserKey,
  userKey,
} from '../../shared/qualified-ids.ts';
export {
  administersCommunity,
  communityAdmin,
  communityReader,
  communityViewer,
  confirmedCommunityAdmin,
  getReadableCommunity,
  isInternal,
  readableAmong,
  readingTenant,
  readOfCommunity,
  requireCommunityAdmin,
  scopelessReader,
  tenantReading,
} from './access.ts';
export { communityJobs, recheckAdmins } from './admin-jobs.ts';
export { type AdminRow, selectAdmins } from './admin-queries.ts';
export {
  communitiesWithApp,
  installedAppIds,
  removeManifest,
  selectInstalledApp,
  selectOffers,
  updateAppSettings,
} from './app-queries.ts';
export { askAdminStatus } from './ask-platform.ts';
export { Channel } from './carried.ts';
export { setCommunityStatus } from './change.ts';
export { dismissAdmin, nameAdmin } from './change-one-admin.ts';
export { AdministeredCommunity, Community } from './community.ts';
export { createCommunity } from './create.ts';
export { openCommunityKey } from './create-wallet.ts';
export { transferCommunity } from './forget.ts';
export { type AppNews, appNews } from './install-app.ts';
export { refuse } from './invalid.ts';
export { countRules, listNamed } from './list-named.ts';
export { communityMetrics } from './metrics.ts';
export { MiniAppManifest } from './mini-app.ts';
export { pageOfAdmin, pageOfMember } from './own-communities.ts';
export { getCommunity, lockOwnCommunity } from './own-community.ts';
export { communityParam } from './params.ts';
export { findPlatformRoles, readPlatformRoles, refuseBadRoles } from './platform-roles.ts';
export {
  activeCommunities,
  type CommunityRow,
  type CommunitySearch,
  type CommunityStatus,
  claimDueChecks,
  communityStates,
  holdCommunity,
  searchCommunities,
  selectActiveAmong,
  selectAdminIds,
  selectCommunitiesOfMember,
  selectCommunity,
  selectCommunityNames,
  selectExisting,
  selectWithBot,
  setNextCheck,
} from './queries.ts';
export { communitiesOfAdmin, communitiesOfMember } from './reads.ts';
export { registerMiniApp, withdrawMiniApp } from './register-mini-app.ts';
export { reloadAdministered } from './reload-administered.ts';
export { removeCommunity } from './remove.ts';
export { requireFeature } from './require-feature.ts';
export {
  definitionOf,
  type GivenRule,
  maxRules,
  NewTokenPermissionedChat,
  type RuleDefinition,
  ruleFields,
  ruleIdOf,
  TokenPermissionedChat,
  TokenPermissionedChatToBeReplaced,
  toRule,
} from './rule.ts';
export {
  type CommunityRuleRow,
  deleteRule,
  digestRules,
  hasRules,
  insertRule,
  listRules,
  type RuleVisibility,
  rulesDigest,
  ruleVisibilities,
  selectRule,
  selectRuleIds,
  selectRules,
  updateRule,
} from './rule-queries.ts';
export { checkPeriodSeconds, givePlan, starterPlanId, takePlan } from './set-plan.ts';
export {
  getCommunitySettings,
  leastCheckPeriodSeconds,
  mostCheckPeriodSeconds,
  resetCheckPeriod,
  setCheckPeriod,
} from './setting-operations.ts';

/** The sealed columns of this feature, for a change of the master key. */
const communitiesSealed: readonly SealedColumn[] = [
  {
    table: 'community_wallets',
    column: 'owner_key',
    idColumns: ['community_id'],
    placeOf: (communityId = '') => ownerKeyPlace(communityId),
  },
];

export const communitiesModule = defineModule('community', {
  resources: [
    communities,
    ownOperations(communitySettingOperations),
    ownOperations(applicationAccessOperations),
    ownOperations(ownChangeOperations),
  ],
  jobs: communityJobs,
  schedules: communitySchedules,
  sealed: communitiesSealed,
  erasures: [communitiesErasure],
  tables: [
    'community_rules',
    'mini_app_manifests',
    'community_apps',
    'communities',
    'community_wallets',
    'community_plans',
    'community_admins',
    'community_access',
  ],
});
