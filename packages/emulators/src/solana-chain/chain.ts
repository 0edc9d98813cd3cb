import type { EmulatorAddress, HttpEmulator } from '../http-emulator/index.ts';
import type { DigitalAsset } from './digital-assets.ts';
import type { TokenDescription } from './metaplex.ts';
import type { BalanceState, MintState } from './spl-tokens.ts';

export interface SolanaChainOptions extends EmulatorAddress {
  /** What the first block hashes to, by which clients know a cluster. Default: that of mainnet-beta. */
  genesisHash?: string;
}

/** Solana's virtual machine behind the RPC of a node and of an index of digital assets, at one address. */
export interface SolanaChain extends HttpEmulator {
  /** What the index of digital assets knows: compressed collectibles and those of Metaplex Core. */
  assets: DigitalAsset[];
  readonly slot: number;
  nextSlot(): void;
  /** Writes a mint, or what an owner has of it, without a transaction. */
  setMint(mint: MintState): void;
  setBalance(balance: BalanceState): Promise<void>;
  /** Describes a mint like Metaplex does. The VM has no Metaplex program, so the account is written directly. */
  describeToken(token: TokenDescription): Promise<void>;
  /** Makes a mint an original, or a print of one. */
  makeOriginal(mint: string): Promise<void>;
  makePrint(mint: string, originalMint: string, number: number): Promise<void>;
}
