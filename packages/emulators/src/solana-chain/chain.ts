import type { EmulatorAddress, HttpEmulator } from '../http-emulator/index.ts';
import type { DigitalAsset } from './digital-assets.ts';
import type { TokenDescription } from './metaplex.ts';
import type { BalanceState, MintState } from './spl-tokens.ts';

export interface SolanaChainOptions extends EmulatorAddress {
  /** The genesis hash, by which clients identify a cluster. Defaults to that of mainnet-beta. */
  genesisHash?: string;
}

/** Solana's VM behind the RPC of a node and of a digital asset index, at one URL. */
export interface SolanaChain extends HttpEmulator {
  /** The contents of the digital asset index: compressed collectibles and those of Metaplex Core. */
  assets: DigitalAsset[];
  readonly slot: number;
  nextSlot(): void;
  /** Writes a mint, or an owner's balance of it, without a transaction. */
  setMint(mint: MintState): void;
  setBalance(balance: BalanceState): Promise<void>;
  /** Adds metadata to a mint like Metaplex does. The VM has no Metaplex program, so the account is written directly. */
  describeToken(token: TokenDescription): Promise<void>;
  /** Makes a mint an original, or a print of one. */
  makeOriginal(mint: string): Promise<void>;
  makePrint(mint: string, originalMint: string, number: number): Promise<void>;
}
