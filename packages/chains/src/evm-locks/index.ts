import type { Locks } from '@latchkey/core/ports';
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  http,
  isAddress,
  type PublicClient,
  parseAbi,
} from 'viem';

export interface LocksOptions {
  /** The page on which keys are bought. */
  checkoutUrl: string;
  rpcUrlsOf(chain: string): readonly string[];
  timeoutMs: number;
  fetch: typeof globalThis.fetch;
}

const abi = parseAbi([
  'function getHasValidKey(address account) view returns (bool)',
  'function totalKeys(address account) view returns (uint256)',
  'function tokenOfOwnerByIndex(address account, uint256 index) view returns (uint256)',
  'function keyExpirationTimestampFor(uint256 tokenId) view returns (uint256)',
]);

/** More keys of one lock are never needed, so further ones are not read. */
const maxKeys = 20n;
/** The latest valid date. Locks use the highest possible number for keys that never expire. */
const endlessSeconds = 8_640_000_000_000n;

/** Reads locks of the Unlock protocol on their chains. */
export function createLocks({ checkoutUrl, rpcUrlsOf, timeoutMs, fetch }: LocksOptions): Locks {
  return {
    checkoutUrl: ({ locks, title, message, redirectUri }) => {
      const url = new URL(checkoutUrl);
      const offered = locks.map(({ address, chainId, skipRecipient }) => [
        address,
        { network: chainId, skipRecipient },
      ]);
      const config = { title, locks: Object.fromEntries(offered), messageToSign: message, pessimistic: true };
      url.searchParams.set('redirectUri', redirectUri);
      url.searchParams.set('paywallConfig', JSON.stringify(config));
      return url.href;
    },
    keyUntil: async ({ lock, chainId, account }) => {
      if (!isAddress(lock, { strict: false }) || !isAddress(account, { strict: false })) return undefined;
      const urls = rpcUrlsOf(String(chainId));
      for (const [index, url] of urls.entries()) {
        const transport = http(url, { fetchFn: fetch, timeout: timeoutMs, retryCount: 0 });
        const client = createPublicClient({ transport, ccipRead: false });
        try {
          if ((await client.getChainId()) === chainId) return await readKeys(client, lock, account);
        } catch (error) {
          // The error may contain the node's URL, and with it a key, so only the fact that it failed is passed on.
          if (error instanceof NotALock) throw error;
          if (index === urls.length - 1) break;
        }
      }
      throw new Error(`No node for EVM chain ${chainId} responded.`);
    },
  };
}

class NotALock extends Error {}

/** Returns when the last of an account's keys expires; undefined if none is valid. */
async function readKeys(client: PublicClient, lock: Address, account: Address): Promise<Date | undefined> {
  const contract = { address: lock, abi } as const;
  try {
    if (!(await client.readContract({ ...contract, functionName: 'getHasValidKey', args: [account] })))
      return undefined;
    const count = await client.readContract({ ...contract, functionName: 'totalKeys', args: [account] });
    const keys = Array.from({ length: Number(count < maxKeys ? count : maxKeys) }, async (_, index) => {
      const args = [account, BigInt(index)] as const;
      const token = await client.readContract({ ...contract, functionName: 'tokenOfOwnerByIndex', args });
      return client.readContract({ ...contract, functionName: 'keyExpirationTimestampFor', args: [token] });
    });
    const latest = (await Promise.all(keys)).reduce((a, b) => (a > b ? a : b), 0n);
    return new Date(Number(latest < endlessSeconds ? latest : endlessSeconds) * 1000);
  } catch (error) {
    const isOther =
      error instanceof BaseError &&
      error.walk(
        (cause) => cause instanceof ContractFunctionZeroDataError || cause instanceof ContractFunctionRevertedError,
      );
    throw isOther ? new NotALock('The contract that sells the plan does not behave like an Unlock lock.') : error;
  }
}
