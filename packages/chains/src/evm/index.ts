export type { SiweExpectation, SiweFields } from './siwe.ts';
export { createEvmWallets, type EvmWalletsOptions } from './wallets.ts';
