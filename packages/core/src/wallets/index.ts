export { walletJobs, walletSchedules } from './jobs.ts';
export { createLinkChallenge } from './link-challenge.ts';
export { linkWallet, type SignedLink } from './link-wallet.ts';
export { type LinkedWallet, usersOfWallets, walletsOfUsers } from './linked-wallets.ts';
export { findFirstLink, findUserByWallet } from './queries.ts';
export { listUsersSharingWallets, listWallets } from './reads.ts';
export { unlinkAllWallets, unlinkWallet } from './unlink-wallets.ts';
export { WalletConnection } from './wallet.ts';
export type { WalletsChanged } from './wallets-changed.ts';
