import { useEffect, useState } from 'react';
import { watchEvmWallets } from './evm.ts';
import { watchSolanaWallets } from './solana.ts';
import type { BrowserWallet } from './wallet.ts';

/** The wallets of this browser, of those namespaces. */
export function useBrowserWallets(namespaces: readonly string[]): readonly BrowserWallet[] {
  const [evm, setEvm] = useState<readonly BrowserWallet[]>([]);
  const [solana, setSolana] = useState<readonly BrowserWallet[]>([]);
  useEffect(() => watchEvmWallets(setEvm), []);
  useEffect(() => watchSolanaWallets(setSolana), []);
  return [...evm, ...solana].filter(({ namespace }) => namespaces.includes(namespace));
}
