import type { TestContext } from 'node:test';
import { Account, JsonRpcProvider, KeyPairSigner } from 'near-api-js';
import { type NearChain, type NearChainOptions, startNearChain } from './start.ts';

export const near = 1_000_000_000_000_000_000_000_000n;

/** Starts a chain with a near-api-js client for each requested account. */
export async function startForClients(t: TestContext, options: NearChainOptions = {}) {
  const chain = await startNearChain(options);
  t.after(chain.stop);
  const provider = new JsonRpcProvider({ url: chain.url }, { retries: 1 });
  const clientOf = (accountId: string, balance?: bigint) => {
    const { secretKey, publicKey } = chain.createAccount(accountId, balance);
    const signer = KeyPairSigner.fromSecretKey(secretKey as `ed25519:${string}`);
    return Object.assign(new Account(accountId, provider, signer), { publicKey, secretKey });
  };
  return { chain, provider, clientOf };
}

/** Checks conservation: balances plus burnt tokens equal the created ones. */
export function isBalanced({ totals }: NearChain): boolean {
  return totals.balances + totals.burnt === totals.made;
}
