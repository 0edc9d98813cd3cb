export { administersCommunity, communityAdmin, communityReader } from './access.ts';
export { communityKey, nativeUserId, userKey } from './keys.ts';
export {
  type CommunityRow,
  type CommunityRuleRow,
  type CommunityStatus,
  selectAdminIds,
  selectCommunity,
  selectRules,
} from './queries.ts';
