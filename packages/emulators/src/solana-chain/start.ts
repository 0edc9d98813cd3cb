import type { SolanaChain, SolanaChainOptions } from './chain.ts';

/** Starts an empty ledger with the token programs. Anyone may request airdrops. */
export async function startSolanaChain(options: SolanaChainOptions = {}): Promise<SolanaChain> {
  // Loaded only here, because the VM is slow to load and most importers of this package start no chain.
  const { serveLedger } = await import('./serve-ledger.ts');
  return serveLedger(options);
}
