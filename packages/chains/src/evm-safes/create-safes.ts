import {
  type PreparedTransaction,
  type SafeState,
  type Safes,
  SafesRefusal,
  SafesUnavailable,
} from '@latchkey/core/ports';
import {
  type Address,
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  type Log,
  toHex,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { encodeSetup, parseAddress, safeContracts } from '../evm/safe-address.ts';
import {
  type ChainOptions,
  type Client,
  connect,
  isKnownAlready,
  isRevert,
  lacksMoney,
  signTransaction,
  stateOf,
} from '../evm-transactions/index.ts';
import { asHex, encodeExecution, encodeOwnerChange, encodeTransfer } from './encode-calls.ts';
import { proxyFactoryAbi, safeAbi } from './safe-abi.ts';

export interface SafesOptions extends ChainOptions {
  payerKey?: Uint8Array | undefined;
}

/** Safes 1.4.1 on one EVM chain, whose fees one account pays. */
export function createSafes(options: SafesOptions): Safes {
  const client = connect(options);
  const accountOf = (key: Uint8Array) => privateKeyToAccount(toHex(key));
  return {
    chainId: options.chainId,
    payerKey: options.payerKey,
    payerAddress: (key) => accountOf(key).address,
    encodeTransfer,
    encodeOwnerChange,
    readState: (safe) => answerOf(() => readState(client, getAddress(safe))),
    rehearse: (safe, { to, value, data }) =>
      answerOf(async () => {
        await client.call({ account: getAddress(safe), to: getAddress(to), value, data: asHex(data) }).catch(refusalOf);
      }),
    prepareDeployment: ({ owner, saltNonce }, key) =>
      answerOf(() => prepare(client, accountOf(key), safeContracts.proxyFactory, encodeDeployment(owner, saltNonce))),
    prepareTransaction: (transaction, signature, key) =>
      answerOf(() =>
        prepare(client, accountOf(key), getAddress(transaction.safe), encodeExecution(transaction, signature)),
      ),
    send: ({ raw }) =>
      answerOf(async () => {
        await client.sendRawTransaction({ serializedTransaction: asHex(raw) }).catch((error: unknown) => {
          if (!isKnownAlready(error)) refusalOf(error);
        });
      }),
    outcomeOf: (txHash) => answerOf(() => outcomeOf(client, asHex(txHash))),
  };
}

async function readState(client: Client, safe: Address): Promise<SafeState> {
  const [code, balance] = await Promise.all([client.getCode({ address: safe }), client.getBalance({ address: safe })]);
  if (code === undefined || code === '0x') return { isDeployed: false, balance, nonce: 0n, owners: [] };
  const contract = { address: safe, abi: safeAbi } as const;
  const [nonce, owners] = await Promise.all([
    client.readContract({ ...contract, functionName: 'nonce' }),
    client.readContract({ ...contract, functionName: 'getOwners' }),
  ]);
  return { isDeployed: true, balance, nonce, owners };
}

function encodeDeployment(owner: string, saltNonce: bigint): Hex {
  const args = [safeContracts.singleton, toHex(encodeSetup(parseAddress(owner))), saltNonce] as const;
  return encodeFunctionData({ abi: proxyFactoryAbi, functionName: 'createProxyWithNonce', args });
}

async function prepare(client: Client, payer: PrivateKeyAccount, to: Address, data: Hex): Promise<PreparedTransaction> {
  if ((await client.getChainId()) !== client.chain.id)
    throw new SafesRefusal('The node is of another chain than the one that is configured.');
  // A call to an address without a contract succeeds and does nothing, and would be paid for.
  if ((await client.getCode({ address: to })) === undefined)
    throw new SafesRefusal('The contracts of Safe 1.4.1 are not on this chain.');
  const transaction = await signTransaction(client, payer, { to, data }).catch(refusalOf);
  if ((await client.getBalance({ address: payer.address })) < transaction.maxCost) throw noMoney();
  return transaction;
}

async function outcomeOf(client: Client, hash: Hash) {
  const state = await stateOf(client, hash);
  if (state !== 'mined') return state;
  const { logs } = await client.getTransactionReceipt({ hash });
  return logs.some(isExecutionFailure) ? 'failed' : 'done';
}

function isExecutionFailure({ topics, data }: Pick<Log, 'topics' | 'data'>): boolean {
  try {
    return decodeEventLog({ abi: safeAbi, topics, data }).eventName === 'ExecutionFailure';
  } catch {
    return false;
  }
}

/** The address of a node can hold a key, and so can what viem says of it: nothing of it is passed on. */
async function answerOf<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SafesRefusal) throw error;
    throw new SafesUnavailable('The chain of the wallets gives no usable answer.');
  }
}

function refusalOf(error: unknown): never {
  if (lacksMoney(error)) throw noMoney();
  if (isRevert(error)) throw new SafesRefusal('The call would fail on the chain.', { wouldFail: true });
  throw error;
}

function noMoney(): SafesRefusal {
  return new SafesRefusal('The account that pays the fees of wallets has no money. The operator can send it some.');
}
