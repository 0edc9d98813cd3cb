export type { SiweExpectation } from './check-siwe.ts';
export type { SiweFields } from './siwe-fields.ts';
export { createEvmWallets, type EvmWalletsOptions } from './wallets.ts';
