import { defineModule } from '../../shared/module.ts';
import { membershipsErasure } from './forget.ts';

export {
  communitiesOfUser,
  countByRole,
  countHolders,
  countHoldersAndBots,
  countHoldersOfAny,
  countPresent,
  hasLeft,
  type MemberRow,
  markActive,
  markChecked,
  markLeft,
  mayHaveRoles,
  namedIn,
  presentByCommunity,
  presentCount,
  putLeft,
  putMembers,
  rolesIn,
  type SeenMember,
  selectActive,
  selectCommunitiesOf,
  selectHoldersOfAny,
  selectLeftWithRoles,
  selectMembers,
  selectNamed,
  selectPresent,
  selectRolesOf,
  selectUnseen,
} from './queries.ts';
export {
  cursorOf,
  type FoundMember,
  findMemberNames,
  type MemberFilter,
  type MemberOrder,
  searchMemberIds,
  selectFound,
} from './search.ts';
export {
  countConnectionsByDay,
  countMembersWithWallets,
  isHeldByRival,
  putMemberList,
  selectCoHoldersIn,
  selectMemberList,
  selectRivals,
  walletsInCommunity,
} from './wallets.ts';

/** Who is in which community, as last seen on the platforms. Reading the platforms and listing members build on it. */
export const membershipsModule = defineModule('memberships', {
  erasures: [membershipsErasure],
  tables: ['community_members', 'member_lists'],
});
