import { getWallets } from '@wallet-standard/app';
import { useEffect, useState } from 'react';
import { encodeBase58 } from './base58.ts';
import { findBitcoinWallets } from './bitcoin.ts';
import { watchEvmWallets } from './evm.ts';
import type { BrowserWallet, OpenAccount } from './wallet.ts';
import { noAccount, noSignature, withWalletErrors } from './wallet-error.ts';

/** Returns the wallets of this browser for these namespaces. */
export function useBrowserWallets(namespaces: readonly string[]): readonly BrowserWallet[] {
  const [evm, setEvm] = useState<readonly BrowserWallet[]>([]);
  const [solana, setSolana] = useState<readonly BrowserWallet[]>([]);
  useEffect(() => watchEvmWallets(setEvm), []);
  useEffect(() => watchSolanaWallets(setSolana), []);
  const [bitcoin] = useState(() => findBitcoinWallets());
  return [...evm, ...solana, ...bitcoin]
    .filter(({ namespace }) => namespaces.includes(namespace))
    .map(withWalletErrors);
}

type StandardWallet = ReturnType<ReturnType<typeof getWallets>['get']>[number];
type StandardAccount = StandardWallet['accounts'][number];

interface Features {
  connect(): Promise<{ accounts: readonly StandardAccount[] }>;
  signMessage(input: {
    account: StandardAccount;
    message: Uint8Array;
  }): Promise<readonly { signedMessage: Uint8Array; signature: Uint8Array }[]>;
}

/** Watches for Solana wallets that implement the wallet standard, until the returned function is called. */
function watchSolanaWallets(onFound: (wallets: readonly BrowserWallet[]) => void): () => void {
  const { get, on } = getWallets();
  const announce = () => onFound(get().flatMap(toWallet));
  const stops = [on('register', announce), on('unregister', announce)];
  announce();
  return () => {
    for (const stop of stops) stop();
  };
}

function toWallet(wallet: StandardWallet): BrowserWallet[] {
  const features = featuresOf(wallet);
  if (features === undefined || !wallet.chains.some(isSolana)) return [];
  const { name, icon } = wallet;
  return [
    { key: `solana:${name}`, name, icon, rdns: undefined, namespace: 'solana', open: () => openAccount(features) },
  ];
}

// The standard types features by name only; these two are what their names say.
function featuresOf({ features }: StandardWallet): Features | undefined {
  const connect = features['standard:connect'] as Pick<Features, 'connect'> | undefined;
  const sign = features['solana:signMessage'] as Pick<Features, 'signMessage'> | undefined;
  if (connect === undefined || sign === undefined) return undefined;
  return { connect: () => connect.connect(), signMessage: (input) => sign.signMessage(input) };
}

function isSolana(chain: string): boolean {
  return chain.startsWith('solana:');
}

async function openAccount(features: Features): Promise<OpenAccount> {
  const { accounts } = await features.connect();
  const account = accounts.find(({ chains }) => chains.some(isSolana));
  if (account === undefined) throw noAccount();
  return {
    accountId: `solana:mainnet:${account.address}`,
    address: account.address,
    sign: async (text) => {
      const message = new TextEncoder().encode(text);
      const [answer] = await features.signMessage({ account, message });
      if (answer === undefined) throw noSignature();
      return encodeBase58(answer.signature);
    },
  };
}
