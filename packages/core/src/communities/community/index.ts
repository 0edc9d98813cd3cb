import { defineModule, type SealedColumn } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { applicationAccessOperations } from './access/operations.ts';
import { communityJobs, communitySchedules } from './admins/jobs.ts';
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
} from './access/guards.ts';
export { dismissAdmin, nameAdmin } from './admins/change-admins.ts';
export { askAdminStatus, reloadAdministered } from './admins/confirm-admins.ts';
export { communityJobs, recheckAdmins } from './admins/jobs.ts';
export { type AdminRow, selectAdminIds, selectAdmins } from './admins/queries.ts';
export { removeCommunity, setCommunityStatus } from './change.ts';
export { AdministeredCommunity, Channel, Community } from './community.ts';
export { createCommunity } from './create.ts';
export { transferCommunity } from './forget.ts';
export { type AppNews, appNews, registerMiniApp, withdrawMiniApp } from './installs/install-app.ts';
export { MiniAppManifest } from './installs/manifest.ts';
export {
  communitiesWithApp,
  installedAppIds,
  removeManifest,
  selectInstalledApp,
  selectOffers,
  updateAppSettings,
} from './installs/queries.ts';
export { refuse } from './invalid.ts';
export {
  findPlatformRoles,
  findRuleFaults,
  pageOfAdmin,
  pageOfMember,
  readPlatformRoles,
  refuseBadRoles,
} from './own-communities.ts';
export { communityParam } from './params.ts';
export { checkPeriodSeconds, givePlan, requireFeature, starterPlanId, takePlan } from './plans.ts';
export {
  activeCommunities,
  type CommunityRow,
  type CommunitySearch,
  type CommunityStatus,
  claimDueChecks,
  communityMetrics,
  communityStates,
  countRules,
  getCommunity,
  holdCommunity,
  listNamed,
  lockOwnCommunity,
  searchCommunities,
  selectActiveAmong,
  selectCommunitiesOfMember,
  selectCommunity,
  selectCommunityNames,
  selectExisting,
  selectWithBot,
  setNextCheck,
} from './queries.ts';
export { communitiesOfAdmin, communitiesOfMember } from './reads.ts';
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
  ruleVersions,
  ruleVisibilities,
  selectRule,
  selectRuleIds,
  selectRules,
  updateRule,
} from './rule-queries.ts';
export {
  getCommunitySettings,
  leastCheckPeriodSeconds,
  mostCheckPeriodSeconds,
  resetCheckPeriod,
  setCheckPeriod,
} from './setting-operations.ts';
export { openCommunityKey } from './wallet.ts';

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
