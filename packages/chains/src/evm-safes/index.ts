import {
  type PreparedTransaction,
  type SafeCall,
  type SafeState,
  type Safes,
  SafesRefusal,
  SafesUnavailable,
  type SafeTransaction,
  type SafeTransfer,
} from '@latchkey/core/ports';
import {
  type Address,
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  isHex,
  type Log,
  parseAbi,
  toHex,
  zeroAddress,
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

export interface SafesOptions extends ChainOptions {
  payerKey?: Uint8Array | undefined;
}

/** Manages Safes 1.4.1 on one EVM chain. One account pays their fees. */
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
    throw new SafesRefusal('The node is on a different chain than configured.');
  // A call to an address without a contract succeeds, does nothing, and still costs gas.
  if ((await client.getCode({ address: to })) === undefined)
    throw new SafesRefusal('The Safe 1.4.1 contracts are not deployed on this chain.');
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

/** The URL of a node can contain a key, and so can viem's error, so neither is passed on. */
async function answerOf<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SafesRefusal) throw error;
    throw new SafesUnavailable('The wallets’ chain sent an unusable response.');
  }
}

function refusalOf(error: unknown): never {
  if (lacksMoney(error)) throw noMoney();
  if (isRevert(error)) throw new SafesRefusal('The call would fail on the chain.', { wouldFail: true });
  throw error;
}

function noMoney(): SafesRefusal {
  return new SafesRefusal('The account that pays gas for wallets has insufficient funds. The operator can top it up.');
}

// The sentinel before the first owner in a Safe's linked list of owners.
const firstPlace = '0x0000000000000000000000000000000000000001';

function encodeTransfer(safe: string, transfer: SafeTransfer): SafeCall {
  const [from, to] = [getAddress(safe), getAddress(transfer.to)];
  switch (transfer.kind) {
    case 'coin':
      return { to, value: transfer.amount, data: '0x' };
    case 'erc20':
      return callOf(
        transfer.token,
        encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, transfer.amount] }),
      );
    case 'erc721': {
      const args = [from, to, transfer.tokenId] as const;
      return callOf(transfer.token, encodeFunctionData({ abi: tokenAbi, functionName: 'safeTransferFrom', args }));
    }
    case 'erc1155': {
      const args = [from, to, transfer.tokenId, transfer.amount, '0x'] as const;
      return callOf(transfer.token, encodeFunctionData({ abi: tokenAbi, functionName: 'safeTransferFrom', args }));
    }
  }
}

function encodeOwnerChange(safe: string, from: string, to: string): SafeCall {
  const args = [firstPlace, getAddress(from), getAddress(to)] as const;
  return callOf(safe, encodeFunctionData({ abi: safeAbi, functionName: 'swapOwner', args }));
}

/** Encodes the call to the Safe that executes a transaction. It refunds no gas: the sender pays. */
function encodeExecution({ to, value, data, leastGas }: SafeTransaction, signature: string): Hex {
  const args = [
    getAddress(to),
    value,
    asHex(data),
    0,
    leastGas,
    0n,
    0n,
    zeroAddress,
    zeroAddress,
    asHex(signature),
  ] as const;
  return encodeFunctionData({ abi: safeAbi, functionName: 'execTransaction', args });
}

function callOf(to: string, data: Hex): SafeCall {
  return { to: getAddress(to), value: 0n, data };
}

function asHex(text: string): Hex {
  if (!isHex(text)) throw new Error('This is not a hexadecimal string.');
  return text;
}

/** The parts of Safe 1.4.1 that are used here. */
const safeAbi = parseAbi([
  'event ExecutionFailure(bytes32 indexed txHash, uint256 payment)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)',
  'function getOwners() view returns (address[])',
  'function nonce() view returns (uint256)',
  'function swapOwner(address prevOwner, address oldOwner, address newOwner)',
]);

const proxyFactoryAbi = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)',
]);

const tokenAbi = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
]);
