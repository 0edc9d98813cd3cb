import type { PreparedTransaction, RegistryClaim, TransactionState, WalletRegistry } from '@latchkey/core/ports';
import {
  type Address,
  createPublicClient,
  defineChain,
  encodeFunctionData,
  fallback,
  type Hash,
  type Hex,
  http,
  keccak256,
  parseAbi,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  toHex,
  zeroHash,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { answerOf, isKnownAlready, otherChain, refusalOf } from './failures.ts';

const abi = parseAbi([
  'event Claimed(address indexed wallet, bytes32 indexed ownerHash)',
  'error AlreadyClaimed(address wallet)',
  'error NotTheRegistrar(address account)',
  'error ZeroValue()',
  'function claim(address wallet, bytes32 ownerHash)',
  'function claimOf(address wallet) view returns (bytes32 ownerHash, uint64 blockNumber)',
]);

export interface WalletRegistryOptions {
  /** JSON-RPC addresses of one chain, in the order they are tried. */
  urls: readonly string[];
  chainId: number;
  address: string;
  registrarKey?: Uint8Array | undefined;
  timeoutMs: number;
}

type Client = ReturnType<typeof connect>;
export type ChainOptions = Pick<WalletRegistryOptions, 'urls' | 'chainId' | 'timeoutMs'>;

export function connect({ urls, chainId, timeoutMs }: ChainOptions) {
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [...urls] } },
  });
  const options = { timeout: timeoutMs, retryCount: 0, fetchOptions: { redirect: 'error' } } as const;
  const transport = fallback(
    urls.map((url) => http(url, options)),
    { retryCount: 0 },
  );
  return createPublicClient({ chain, transport });
}

/** The registry of hosted wallets on an EVM chain. */
export function createWalletRegistry(options: WalletRegistryOptions): WalletRegistry {
  const client = connect(options);
  const contract = options.address as Address;
  const accountOf = (key: Uint8Array) => privateKeyToAccount(toHex(key));
  return {
    chainId: options.chainId,
    address: contract,
    registrarKey: options.registrarKey,
    registrarAddress: (key) => accountOf(key).address,
    findClaim: (wallet) => answerOf(() => findClaim(client, contract, wallet as Address)),
    prepareClaim: (claim, key) => answerOf(() => prepareClaim(client, contract, accountOf(key), claim)),
    send: ({ raw }) =>
      answerOf(async () => {
        await client.sendRawTransaction({ serializedTransaction: raw as Hex }).catch((error: unknown) => {
          if (!isKnownAlready(error)) refusalOf(error);
        });
      }),
    stateOf: (txHash) => answerOf(() => stateOf(client, txHash as Hash)),
  };
}

async function findClaim(client: Client, address: Address, wallet: Address) {
  const [ownerHash, blockNumber] = await client.readContract({
    address,
    abi,
    functionName: 'claimOf',
    args: [wallet],
  });
  if (ownerHash === zeroHash) return undefined;
  const [log] = await client.getContractEvents({
    address,
    abi,
    eventName: 'Claimed',
    args: { wallet },
    fromBlock: blockNumber,
    toBlock: blockNumber,
  });
  if (log === undefined) throw new Error('The node has the claim, but not the event of its block.');
  return { ownerHash, txHash: log.transactionHash };
}

async function prepareClaim(client: Client, address: Address, account: PrivateKeyAccount, claim: RegistryClaim) {
  const args = [claim.wallet as Address, claim.ownerHash as Hex] as const;
  // A transaction that is signed for one chain could be sent to another one of the same id only.
  if ((await client.getChainId()) !== client.chain.id) throw otherChain();
  // What would fail is not sent, and the contract's own reason is at hand here alone.
  await client.simulateContract({ address, abi, functionName: 'claim', args, account }).catch(refusalOf);
  return signTransaction(client, account, {
    to: address,
    data: encodeFunctionData({ abi, functionName: 'claim', args }),
  });
}

/** Signs with the account's next number and the fees of the day. A transaction without a receiver makes a contract. */
export async function signTransaction(
  client: Client,
  account: PrivateKeyAccount,
  { to, data }: { to?: Address; data: Hex },
): Promise<PreparedTransaction & { raw: Hex; hash: Hash }> {
  const request = await client.prepareTransactionRequest({ account, to, data }).catch(refusalOf);
  const { from: _sender, ...fields } = request;
  const maxCost = (fields.gas ?? 0n) * (fields.maxFeePerGas ?? fields.gasPrice ?? 0n);
  const raw = await account.signTransaction(asSignable({ ...fields, chainId: client.chain.id }));
  return { raw, hash: keccak256(raw), maxCost };
}

type Signable = Parameters<PrivateKeyAccount['signTransaction']>[0];

function asSignable(fields: object): Signable {
  return fields as Signable; // viem's type of a prepared request leaves open which kind of transaction it has become.
}

async function stateOf(client: Client, hash: Hash): Promise<TransactionState> {
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
