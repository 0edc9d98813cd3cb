export { type LinkedWallet, usersOfWallets, walletsOfUsers } from './linked-wallets.ts';
export { findUserByWallet } from './queries.ts';
