import type { PreparedTransaction, TransactionState } from '@latchkey/core/ports';
import {
  type Address,
  BaseError,
  createPublicClient,
  defineChain,
  ExecutionRevertedError,
  fallback,
  type Hash,
  type Hex,
  http,
  InsufficientFundsError,
  keccak256,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';

/** Signs with the account's next nonce and the current fees. A transaction without a receiver creates a contract. */
export async function signTransaction(
  client: Client,
  account: PrivateKeyAccount,
  { to, data }: { to?: Address; data: Hex },
): Promise<PreparedTransaction & { raw: Hex; hash: Hash }> {
  const request = await client.prepareTransactionRequest({ account, to, data });
  const { from: _sender, ...fields } = request;
  const maxCost = (fields.gas ?? 0n) * (fields.maxFeePerGas ?? fields.gasPrice ?? 0n);
  const raw = await account.signTransaction(asSignable({ ...fields, chainId: client.chain.id }));
  return { raw, hash: keccak256(raw), maxCost };
}

type Signable = Parameters<PrivateKeyAccount['signTransaction']>[0];

function asSignable(fields: object): Signable {
  return fields as Signable; // viem's type of a prepared request does not say which type of transaction it is.
}

export async function stateOf(client: Client, hash: Hash): Promise<TransactionState> {
  try {
    const { status } = await client.getTransactionReceipt({ hash });
    return status === 'success' ? 'mined' : 'reverted';
  } catch (error) {
    if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
  }
  try {
    await client.getTransaction({ hash });
    return 'pending';
  } catch (error) {
    if (!(error instanceof TransactionNotFoundError)) throw error;
    return 'unknown';
  }
}

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

/** Whether a node already has a transaction, which counts as sent. Each node words this differently. */
export function isKnownAlready(error: unknown): boolean {
  return error instanceof BaseError && /already known|already imported|known transaction/i.test(error.details);
}

/** Whether the sender cannot pay for a transaction. */
export function lacksMoney(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    (error.walk((cause) => cause instanceof InsufficientFundsError) !== null ||
      /(insufficient|enough) funds/i.test(error.details))
  );
}

/** Whether the chain ran a call, and the call failed. */
export function isRevert(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    (error.walk((cause) => cause instanceof ExecutionRevertedError) !== null || /revert/i.test(error.details))
  );
}
