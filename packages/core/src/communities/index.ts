export {
  administersCommunity,
  communityAdmin,
  communityMember,
  communityReader,
  isInternal,
  readableAmong,
  readingTenant,
} from './access.ts';
export { type AppNews, appNews } from './app-news.ts';
export { communitiesWithApp, installedAppIds, removeManifest, selectOffers } from './app-queries.ts';
export { Channel } from './carried.ts';
export { setCommunityStatus } from './change.ts';
export { createRule, removeRule, replaceRule } from './change-rules.ts';
export { Community } from './community.ts';
export { createCommunity } from './create.ts';
export { communitiesErasure } from './forget.ts';
export { handOverCommunity } from './hand-over.ts';
export { communityKey, nativeUserId, parseCommunityKey, userKey } from './keys.ts';
export { MiniAppManifest } from './mini-app.ts';
export { communities } from './operations.ts';
export { getCommunity } from './own-community.ts';
export {
  type CommunityRow,
  type CommunityStatus,
  selectActiveAmong,
  selectAdminIds,
  selectCommunity,
} from './queries.ts';
export { communitiesOfAdmin, communitiesOfMember } from './reads.ts';
export { registerMiniApp, withdrawMiniApp } from './register-mini-app.ts';
export { removeCommunity } from './remove.ts';
export { TokenPermissionedChat } from './rule.ts';
export { type CommunityRuleRow, selectRules } from './rule-queries.ts';
export { communitiesSealed } from './sealed-columns.ts';
export { checkPeriodSeconds, givePlan, starterPlanId, takePlan } from './set-plan.ts';
