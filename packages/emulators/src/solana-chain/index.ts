export type { SolanaChain, SolanaChainOptions } from './chain.ts';
export type { DigitalAsset } from './digital-assets.ts';
export type { TokenDescription } from './metaplex.ts';
export type { BalanceState, MintState, TokenProgram } from './spl-tokens.ts';
export { startSolanaChain } from './start.ts';
