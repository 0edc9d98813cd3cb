export { findLinkChallenge } from './challenge-queries.ts';
export { endLink } from './end-link.ts';
export { walletsFeature } from './feature.ts';
export { isHeldByRival, selectCoHolders, selectCoHoldersIn, walletsInCommunity } from './holders.ts';
export { createLinkChallenge, type LinkChallenge, linkTtlSeconds, startLink } from './link-challenge.ts';
export type { LinkTarget } from './link-message.ts';
export { linkWallet, type SignedLink } from './link-wallet.ts';
export { type LinkedWallet, usersOfWallets, walletsOfUsers } from './linked-wallets.ts';
export { type Proof, type ProvenWallet, proveWallet, unavailable, type WalletClaim } from './prove-wallet.ts';
export {
  accountsOfWallet,
  findFirstLink,
  findWallet,
  isLinkedTo,
  type SignInAccount,
  selectWallets,
  setSignsInSince,
  setWalletCommunity,
  type WalletRow,
} from './queries.ts';
export { listUsersSharingWallets, listWallets } from './reads.ts';
export { type LinkOutcome, moveLink, type NewLink, saveLink } from './save-link.ts';
export { findAccountOf, serviceNamespaces, unlinkAccount } from './service-accounts.ts';
export { markSignersChecked, selectDueSigners } from './signer-queries.ts';
export { isTypedLinkMessage } from './typed-message.ts';
export { spellingsOf, unlinkAllWallets, unlinkWallet } from './unlink-wallets.ts';
export { toWalletConnection, WalletConnection, walletAccountId } from './wallet.ts';
export { unnamedChainsOf, walletChainOf } from './wallet-chains.ts';
export type { WalletsChanged } from './wallets-changed.ts';
