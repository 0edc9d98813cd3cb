import { useEffect, useState } from 'react';
import { findBitcoinWallets } from './bitcoin.ts';
import { watchEvmWallets } from './evm.ts';
import { watchSolanaWallets } from './solana.ts';
import type { BrowserWallet } from './wallet.ts';

/** The wallets of this browser, of those namespaces. */
export function useBrowserWallets(namespaces: readonly string[]): readonly BrowserWallet[] {
  const [evm, setEvm] = useState<readonly BrowserWallet[]>([]);
  const [solana, setSolana] = useState<readonly BrowserWallet[]>([]);
  useEffect(() => watchEvmWallets(setEvm), []);
  useEffect(() => watchSolanaWallets(setSolana), []);
  const [bitcoin] = useState(() => findBitcoinWallets());
  return [...evm, ...solana, ...bitcoin].filter(({ namespace }) => namespaces.includes(namespace));
}
