import { createPublicClient, defineChain, fallback, http } from 'viem';

export interface ChainOptions {
  /** JSON-RPC URLs of one chain, in the order they are tried. */
  urls: readonly string[];
  chainId: number;
  timeoutMs: number;
  fetch: typeof globalThis.fetch;
}

export type Client = ReturnType<typeof connect>;

export function connect({ urls, chainId, timeoutMs, fetch }: ChainOptions) {
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [...urls] } },
  });
  const options = { timeout: timeoutMs, retryCount: 0, fetchOptions: { redirect: 'error' } } as const;
  const transport = fallback(
    urls.map((url) => http(url, { ...options, fetchFn: fetch })),
    { retryCount: 0 },
  );
  // A contract must never choose what this server calls: EIP-3668 (CCIP-read) is on by default in viem.
  return createPublicClient({ chain, transport, ccipRead: false });
}
