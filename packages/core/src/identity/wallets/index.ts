import { defineModule } from '../../shared/module.ts';
import { walletsErasure } from './forget.ts';
import { walletJobs, walletSchedules } from './jobs.ts';

export {
  deleteLinkChallenges,
  findLinkChallenge,
  findOwnChallenge,
  type LinkChallengeRow,
  useLinkChallenge,
} from './challenge-queries.ts';
export {
  type ConnectionRow,
  countEverywhere,
  countsIn,
  deleteCommunity,
  isConnectedTo,
  isCounted,
  putCommunity,
} from './community-queries.ts';
export {
  countLinkedWallets,
  countWalletsOf,
  selectByAddressPart,
  selectCounted,
  walletCountsFor,
} from './counted-queries.ts';
export { searchWalletOwners } from './find-people.ts';
export {
  countCountedByDay,
  findAccountOf,
  hasOtherLinks,
  selectCoHolders,
  selectCountedWallets,
  selectOtherLinks,
  setAccountName,
  unlinkAccount,
  type WalletRef,
  type WalletsChanged,
} from './forget.ts';
export { createLinkChallenge, type LinkChallenge, linkTtlSeconds, startLink } from './link-challenge.ts';
export { isTypedLinkMessage, type LinkTarget } from './link-message.ts';
export { type LinkedWallet, usersOfWallets, walletsOfUsers } from './linked-wallets.ts';
export { isOwnAccount, ownAccountOf } from './own-account.ts';
export {
  accountsOfWallet,
  deleteLink,
  deleteWalletRows,
  findFirstLink,
  findSameLink,
  findWallet,
  insertWallet,
  isLinkedTo,
  lockWallet,
  type SignInAccount,
  selectLinks,
  selectSharedWallets,
  selectUnlinked,
  selectWallets,
  setShownAs,
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
export { deleteSignedLink, markSignersChecked, replaceSigner, selectDueSigners } from './signer-queries.ts';
export {
  chainName,
  chainShown,
  ownerNamespace,
  serviceNamespaces,
  spellingShown,
  unnamedChainsOf,
  walletChainOf,
  walletTitle,
} from './wallet-chains.ts';

export const walletsModule = defineModule('wallets', {
  jobs: walletJobs,
  schedules: walletSchedules,
  erasures: [walletsErasure],
  tables: ['wallet_communities', 'wallet_connections', 'wallet_link_challenges'],
});
