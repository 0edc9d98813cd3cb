export { findUserByWallet } from './queries.ts';
