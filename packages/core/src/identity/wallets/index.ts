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
  countLinkedWallets,
  countsIn,
  countWalletsOf,
  deleteCommunity,
  isConnectedTo,
  isCounted,
  putCommunity,
  selectByAddressPart,
  selectCounted,
  walletCountsFor,
} from './community-queries.ts';
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
export {
  createLinkChallenge,
  isTypedLinkMessage,
  type LinkChallenge,
  type LinkTarget,
  linkTtlSeconds,
  startLink,
} from './link-message.ts';
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
  isOwnAccount,
  type LinkedWallet,
  listUsersSharingWallets,
  listWallets,
  ownAccountOf,
  type ShownWallet,
  searchWalletOwners,
  shownAddress,
  toWalletConnection,
  usersOfWallets,
  WalletConnection,
  walletAccountId,
  walletsOfUsers,
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
