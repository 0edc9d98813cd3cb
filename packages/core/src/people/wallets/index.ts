export { findLinkChallenge } from './challenge-queries.ts';
export { connectToCommunity } from './communities-of-link.ts';
export {
  countLinkedWallets,
  countWalletsOf,
  selectByAddressPart,
  selectCounted,
  walletCountsFor,
} from './counted-queries.ts';
export { disconnectWalletFrom } from './disconnect-wallet.ts';
export { endLink } from './end-link.ts';
export { walletsFeature } from './feature.ts';
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
export type { LinkTarget } from './link-message.ts';
export { linkWallet, type SignedLink } from './link-wallet.ts';
export { type LinkedWallet, usersOfWallets, walletsOfUsers } from './linked-wallets.ts';
export { isOwnAccount, ownAccountOf } from './own-account.ts';
export {
  type JudgedChallenge,
  type Proof,
  type ProvenWallet,
  proveWallet,
  unavailable,
  type WalletClaim,
} from './prove-wallet.ts';
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
export { listUsersSharingWallets, listWallets } from './reads.ts';
export { type LinkOutcome, moveLink, type NewLink, saveLink } from './save-link.ts';
export { findAccountOf, unlinkAccount } from './service-accounts.ts';
export { markSignersChecked, selectDueSigners } from './signer-queries.ts';
export { isTypedLinkMessage } from './typed-message.ts';
export { spellingsOf, unlinkAllWallets, unlinkWallet } from './unlink-wallets.ts';
export { type ShownWallet, shownAddress, toWalletConnection, WalletConnection, walletAccountId } from './wallet.ts';
export { chainName, chainShown, spellingShown, unnamedChainsOf, walletChainOf, walletTitle } from './wallet-chains.ts';
export type { WalletsChanged } from './wallets-changed.ts';
