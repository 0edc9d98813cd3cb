import type { PreparedTransaction, TransactionState } from '@latchkey/core/ports';
import {
  type Address,
  type Hash,
  type Hex,
  keccak256,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Client } from './connect.ts';

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
