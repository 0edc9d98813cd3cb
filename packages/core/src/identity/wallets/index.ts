import { defineModule } from '../../shared/module.ts';
import { walletsErasure } from './forget.ts';
import { walletJobs, walletSchedules } from './jobs.ts';

export { findLinkChallenge } from './challenge-queries.ts';
export { connectToCommunity } from './communities-of-link.ts';
export {
  countLinkedWallets,
  countWalletsOf,
  selectByAddressPart,
  selectCounted,
  walletCountsFor,
} from './counted-queries.ts';
export { disconnectWalletFrom, spellingsOf, unlinkAllWallets, unlinkWallet } from './disconnect-wallet.ts';
export { endLink } from './end-link.ts';
export { searchWalletOwners } from './find-people.ts';
export {
  countConnectionsByDay,
  countMembersWithWallets,
  isHeldByRival,
  selectCoHolders,
  selectCoHoldersIn,
  walletsInCommunity,
} from './holders.ts';
export { createLinkChallenge, type LinkChallenge, linkTtlSeconds, startLink } from './link-challenge.ts';
export { isTypedLinkMessage, type LinkTarget } from './link-message.ts';
export {
  type LinkOutcome,
  linkWallet,
  moveLink,
  type NewLink,
  type Proof,
  type ProvenWallet,
  proveWallet,
  type SignedLink,
  saveLink,
  unavailable,
  type VerifiedChallenge,
  type WalletClaim,
} from './link-wallet.ts';
export { type LinkedWallet, usersOfWallets, walletsOfUsers } from './linked-wallets.ts';
export { isOwnAccount, ownAccountOf } from './own-account.ts';
export {
  accountsOfWallet,
  findFirstLink,
  findWallet,
  isLinkedTo,
  lockWallet,
  type SignInAccount,
  selectLinks,
  selectSharedWallets,
  selectWallets,
  setSignsInSince,
  type WalletRow,
} from './queries.ts';
export {
  listUsersSharingWallets,
  listWallets,
  type ShownWallet,
  shownAddress,
  toWalletConnection,
  WalletConnection,
  walletAccountId,
} from './reads.ts';
export { findAccountOf, unlinkAccount } from './service-accounts.ts';
export { markSignersChecked, selectDueSigners } from './signer-queries.ts';
export { chainName, chainShown, spellingShown, unnamedChainsOf, walletChainOf, walletTitle } from './wallet-chains.ts';
export type { WalletsChanged } from './wallets-changed.ts';

export const walletsModule = defineModule('wallets', {
  jobs: walletJobs,
  schedules: walletSchedules,
  erasures: [walletsErasure],
  tables: ['wallet_communities', 'wallet_connections', 'wallet_link_challenges'],
});
