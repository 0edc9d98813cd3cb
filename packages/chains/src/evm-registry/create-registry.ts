import { type RegistryClaim, RegistryRefusal, RegistryUnavailable, type WalletRegistry } from '@latchkey/core/ports';
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  type Hash,
  type Hex,
  parseAbi,
  toHex,
  zeroHash,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import {
  type ChainOptions,
  type Client,
  connect,
  isKnownAlready,
  lacksMoney,
  signTransaction,
  stateOf,
} from '../evm-transactions/index.ts';

const abi = parseAbi([
  'event Claimed(address indexed wallet, bytes32 indexed ownerHash)',
  'error AlreadyClaimed(address wallet)',
  'error NotTheRegistrar(address account)',
  'error ZeroValue()',
  'function claim(address wallet, bytes32 ownerHash)',
  'function claimOf(address wallet) view returns (bytes32 ownerHash, uint64 blockNumber)',
]);

export interface WalletRegistryOptions extends ChainOptions {
  address: string;
  registrarKey?: Uint8Array | undefined;
}

/** Creates a client of the hosted wallet registry on an EVM chain. */
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
  // A transaction signed for one chain is valid only on chains with the same id.
  if ((await client.getChainId()) !== client.chain.id) throw otherChain();
  // A transaction that would fail is not sent, and only the simulation returns the contract's reason.
  await client.simulateContract({ address, abi, functionName: 'claim', args, account }).catch(refusalOf);
  return signTransaction(client, account, {
    to: address,
    data: encodeFunctionData({ abi, functionName: 'claim', args }),
  }).catch(refusalOf);
}

const minedWithinMs = 120_000;

/** Deploys a contract. Returns its address once the transaction is mined. */
export function deployContract(
  options: ChainOptions,
  { key, data }: { key: Uint8Array; data: string },
): Promise<{ address: string; txHash: string }> {
  return answerOf(async () => {
    const client = connect(options);
    if ((await client.getChainId()) !== client.chain.id) throw otherChain();
    const { raw } = await signTransaction(client, privateKeyToAccount(toHex(key)), { data: data as Hex }).catch(
      refusalOf,
    );
    const hash = await client.sendRawTransaction({ serializedTransaction: raw }).catch(refusalOf);
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: minedWithinMs });
    if (receipt.status !== 'success' || receipt.contractAddress == null) throw reverted();
    return { address: receipt.contractAddress, txHash: hash };
  });
}

/** Runs requests to a chain. The URL of a node can contain a key, and so can viem's error, so neither is passed on. */
async function answerOf<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RegistryRefusal) throw error;
    throw new RegistryUnavailable('The registry’s chain sent an unusable response.');
  }
}

/** Throws `RegistryRefusal` for failures that would repeat on every retry, and rethrows anything else. */
function refusalOf(error: unknown): never {
  if (error instanceof BaseError) {
    const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    if (revert instanceof ContractFunctionRevertedError)
      throw new RegistryRefusal(`The registry rejected the claim: ${revert.data?.errorName ?? 'it reverted'}.`);
    if (lacksMoney(error)) throw new RegistryRefusal('The registrar has insufficient funds for gas.');
  }
  throw error;
}

function otherChain(): RegistryRefusal {
  return new RegistryRefusal('The node is on a different chain than configured.');
}

function reverted(): RegistryRefusal {
  return new RegistryRefusal('The chain rejected the contract deployment.');
}
