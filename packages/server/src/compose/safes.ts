import type { Safes } from '@latchkey/core/ports';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';
import { ethereumId } from './spending.ts';

/** A caller waits for the response of the wallet's chain. */
const timeoutMs = 5_000;

/** Creates the client for community and organization wallets, if a node of their chain is configured. */
export async function composeSafes({
  walletChainId = ethereumId,
  walletPayerKey,
  evmRpcUrls,
}: Pick<Config, 'walletChainId' | 'walletPayerKey' | 'evmRpcUrls'>): Promise<Safes | undefined> {
  const urls = evmRpcUrls.get(String(walletChainId));
  if (urls === undefined) return undefined;
  const payerKey = walletPayerKey === undefined ? undefined : Buffer.from(walletPayerKey.slice(2), 'hex');
  const { createSafes } = await import('@latchkey/chains/evm-safes');
  return createSafes({ urls, chainId: walletChainId, payerKey, timeoutMs, fetch: fetchTo(urls) });
}
