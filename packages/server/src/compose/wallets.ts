import {
  createBitcoinWallets,
  createEvmWallets,
  createFlowAccountKeyReader,
  createFlowWallets,
  createMagicWallets,
  createNearAccessKeyLookup,
  createNearWallets,
  createPolkadotWallets,
  createSolanaWallets,
  createTezosWallets,
  createTonPublicKeyLookup,
  createTonWallets,
  createXrplWallets,
  type FindAccessKey,
  type FindFlowAccountKeys,
  type FindPublicKey,
} from '@latchkey/chains';
import { type Services, walletChainOf } from '@latchkey/core';
import { createOpenSeaMarketplace, createTokenproof } from '@latchkey/integrations';
import type { Clock } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';

export type Wallets = Pick<Services, 'wallets' | 'marketplaces' | 'tokenproof'>;

type WalletConfig = Pick<Config, 'evmRpcUrls' | 'chainUrls' | 'serviceKeys'>;

const timeoutMs = 10_000;

/**
 * Creates the wallets of every chain. On chains where accounts must be looked up, verification is undecided without a
 * configured node.
 */
export function composeWallets(config: WalletConfig, { clock, baseUrl }: { clock: Clock; baseUrl: string }): Wallets {
  const { host, origin } = new URL(baseUrl);
  const keyOf = (name: string) => config.serviceKeys.get(name)?.[0];
  return {
    wallets: {
      evm: createEvmWallets({
        rpcUrlsOf: (chain) => config.evmRpcUrls.get(chain) ?? [],
        timeoutMs,
        fetch: fetchTo([...config.evmRpcUrls.values()].flat()),
      }),
      magic: createMagicWallets({ clock, audience: keyOf('magic') }),
      solana: createSolanaWallets({ domain: host }),
      tezos: createTezosWallets(),
      flow: createFlowWallets({ findAccountKeys: flowKeys(config) }),
      polkadot: createPolkadotWallets(),
      near: createNearWallets({
        recipient: host,
        allowsCallbackUrl: (url) => URL.parse(url)?.origin === origin,
        findAccessKey: nearKeys(config),
      }),
      bitcoin: createBitcoinWallets(),
      xrpl: createXrplWallets(),
      ton: createTonWallets({ domain: host, clock, findPublicKey: tonKeys(config) }),
    },
    marketplaces: composeMarketplaces(config, keyOf('opensea')),
    tokenproof: composeTokenproof(config, keyOf('tokenproof')),
  };
}

/** Returns the nodes of a namespace's chains, each with the chain's name in that namespace. */
function urlsUnder(config: WalletConfig, namespace: string): { chain: string; url: string }[] {
  return [...config.chainUrls].flatMap(([name, urls]) =>
    name.startsWith(`${namespace}:`)
      ? urls.map((url) => ({ chain: walletChainOf(namespace, name.slice(namespace.length + 1)), url }))
      : [],
  );
}

/** Combines lookups: each node of the chain is asked until one has a result. */
function inTurn<LookUp>(
  config: WalletConfig,
  namespace: string,
  make: (urls: Readonly<Record<string, string>>) => LookUp,
): (chain: string) => LookUp[] {
  const lookUps = urlsUnder(config, namespace).map(({ chain, url }) => ({ chain, ask: make({ [chain]: url }) }));
  return (wanted) => lookUps.flatMap(({ chain, ask }) => (chain === wanted ? [ask] : []));
}

function nearKeys(config: WalletConfig): FindAccessKey {
  const lookUps = inTurn(config, 'near', (urls) =>
    createNearAccessKeyLookup({ fetch: fetchTo(Object.values(urls)), urls, timeoutMs }),
  );
  return async (account, key, chain, signal) => {
    for (const find of lookUps(chain)) {
      const state = await find(account, key, chain, signal);
      if (state !== undefined) return state;
    }
    return undefined;
  };
}

function tonKeys(config: WalletConfig): FindPublicKey {
  const lookUps = inTurn(config, 'ton', (urls) =>
    createTonPublicKeyLookup({ fetch: fetchTo(Object.values(urls)), urls, timeoutMs }),
  );
  return async (address, chain, signal) => {
    for (const find of lookUps(chain)) {
      const answer = await find(address, chain, signal);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}

function flowKeys(config: WalletConfig): FindFlowAccountKeys {
  const lookUps = inTurn(config, 'flow', (urls) =>
    createFlowAccountKeyReader({ fetch: fetchTo(Object.values(urls)), urls, timeoutMs }),
  );
  return async (address, chain, signal) => {
    let failure: unknown = new Error(`No access node of the Flow chain "${chain}" is configured.`);
    for (const find of lookUps(chain)) {
      try {
        return await find(address, chain, signal);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}

function composeMarketplaces(config: WalletConfig, apiKey: string | undefined): Wallets['marketplaces'] {
  const url = config.chainUrls.get('opensea')?.[0];
  if (url === undefined) return {};
  return {
    opensea: createOpenSeaMarketplace({
      url,
      timeoutMs,
      fetch: fetchTo([url]),
      ...(apiKey !== undefined && { apiKey }),
    }),
  };
}

function composeTokenproof(config: WalletConfig, secret: string | undefined): Wallets['tokenproof'] {
  const url = config.chainUrls.get('tokenproof')?.[0];
  if (url === undefined || secret === undefined) return undefined;
  return createTokenproof({ url, secret, timeoutMs, fetch: fetchTo([url]) });
}
