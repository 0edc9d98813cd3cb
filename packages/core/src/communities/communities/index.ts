export {
  administersCommunity,
  communityAdmin,
  communityReader,
  communityRuler,
  getReadableCommunity,
  isInternal,
  readableAmong,
  readingTenant,
  readOfCommunity,
  scopelessReader,
  tenantReading,
} from './access.ts';
export { communityJobs, recheckAdmins } from './admin-jobs.ts';
export { type AdminRow, selectAdmins } from './admin-queries.ts';
export { type AppNews, appNews } from './app-news.ts';
export {
  communitiesWithApp,
  installedAppIds,
  removeManifest,
  selectInstalledApp,
  selectOffers,
  updateAppSettings,
} from './app-queries.ts';
export { askStanding } from './ask-platform.ts';
export { Channel } from './carried.ts';
export { setCommunityStatus } from './change.ts';
export { dismissAdmin, nameAdmin } from './change-one-admin.ts';
export {
  createRule,
  insertNewRule,
  refuseBadReplacement,
  refuseBadRule,
  removeRule,
  replaceRule,
  rewriteRule,
} from './change-rules.ts';
export { getCommunitySettings, resetCheckPeriod, setCheckPeriod } from './check-period.ts';
export { AdministeredCommunity, Community } from './community.ts';
export { leastCheckPeriodSeconds, mostCheckPeriodSeconds } from './community-settings.ts';
export { createCommunity } from './create.ts';
export { openCommunityKey } from './create-wallet.ts';
export { communitiesFeature } from './feature.ts';
export { communityFigures } from './figures.ts';
export { handOverCommunity } from './hand-over.ts';
export { communityKey, isUserKey, nativeUserId, parseCommunityKey, toUserKey, userKey } from './keys.ts';
export { countRules, listNamed } from './list-named.ts';
export { selectCommunitiesOfMember } from './member-queries.ts';
export { MiniAppManifest } from './mini-app.ts';
export { pageOfAdmin, pageOfMember } from './own-communities.ts';
export { getCommunity } from './own-community.ts';
export { findPlatformRoles, readPlatformRoles } from './platform-roles.ts';
export {
  type CommunityRow,
  type CommunitySearch,
  type CommunityStatus,
  holdCommunity,
  searchCommunities,
  selectActiveAmong,
  selectAdminIds,
  selectCommunity,
  selectCommunityNames,
  selectWithBot,
} from './queries.ts';
export { communitiesOfAdmin, communitiesOfMember } from './reads.ts';
export { refuseBadRoles } from './refuse-bad-roles.ts';
export { refuseWrongContracts } from './refuse-wrong-contract.ts';
export { registerMiniApp, withdrawMiniApp } from './register-mini-app.ts';
export { reloadAdministered } from './reload-administered.ts';
export { removeCommunity } from './remove.ts';
export { requireFeature } from './require-feature.ts';
export { requireRuler } from './require-ruler.ts';
export { type GivenRule, NewTokenPermissionedChat, ruleFields } from './rule.ts';
export { listRuleChanges, type RuleChangeRow, type RuleState } from './rule-change-queries.ts';
export {
  type CommunityRuleRow,
  type RuleVisibility,
  ruleVisibilities,
  selectRule,
  selectRules,
} from './rule-queries.ts';
export { checkPeriodSeconds, givePlan, starterPlanId, takePlan } from './set-plan.ts';
