import {
  type DevChain,
  devChain,
  devTransport,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
  startDevChain,
} from '@latchkey/emulators/evm-chain';
import { type Abi, type Address, createTestClient, encodeFunctionData, type Hex, publicActions } from 'viem';
import type { RpcFetch } from '../endpoints/index.ts';

/** A development chain with functions to change it and a request counter. */
export interface EvmWorld extends DevChain {
  chainName: string;
  /** Sends a transaction from an account that the node signs for, by default the minter. */
  send(to: Address, call: { abi: Abi; functionName: string; args: readonly unknown[] }, from?: Address): Promise<Hex>;
  mintCoins(receivers: readonly Address[], amount: bigint): Promise<Hex>;
  mintKeys(receivers: readonly Address[]): Promise<Hex>;
  mintBadges(receivers: readonly Address[], id: bigint, amount: bigint): Promise<Hex>;
  rpc(method: string, params: readonly unknown[]): Promise<unknown>;
  client: ReturnType<typeof createClient>;
}

function createClient(url: string, chainId: number) {
  return createTestClient({ mode: 'hardhat', chain: devChain(url, chainId), transport: devTransport(url) }).extend(
    publicActions,
  );
}

const gas = '0x3b9aca00';

export async function startEvmWorld(): Promise<EvmWorld> {
  const chain = await startDevChain();
  const { contracts, accounts, url } = chain;
  const [minter] = accounts;
  const rpc: EvmWorld['rpc'] = async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = Object(await response.json());
    if (error) throw new Error(error.message);
    return result;
  };
  const send: EvmWorld['send'] = async (to, { abi, functionName, args }, from) => {
    const data = encodeFunctionData({ abi, functionName, args });
    // The node returns the hash of the transaction.
    return (await rpc('eth_sendTransaction', [{ from: from ?? minter?.address, to, gas, data }])) as Hex;
  };
  return {
    ...chain,
    chainName: `evm:${chain.chainId}`,
    rpc,
    send,
    mintCoins: (receivers, amount) =>
      send(contracts.erc20, { abi: sampleCoinAbi, functionName: 'mintMany', args: [receivers, amount] }),
    mintKeys: (receivers) =>
      send(contracts.erc721, { abi: sampleKeysAbi, functionName: 'mintMany', args: [receivers] }),
    mintBadges: (receivers, id, amount) =>
      send(contracts.erc1155, { abi: sampleBadgesAbi, functionName: 'mintMany', args: [receivers, id, amount] }),
    client: createClient(url, chain.chainId),
  };
}

/** Returns addresses without a known key, always the same ones. */
export function someAddresses(count: number, from = 0): Address[] {
  return Array.from({ length: count }, (_, index): Address => {
    const digits = (2n ** 150n + BigInt(from + index) * 7919n).toString(16);
    return `0x${digits.padStart(40, '0')}`;
  });
}

/** A fetch that counts the JSON-RPC requests passing through it, by method. */
export function countingFetch(): { fetch: RpcFetch; requests: string[]; count(method?: string): number } {
  const requests: string[] = [];
  return {
    requests: requests,
    count: (method) => requests.filter((one) => method === undefined || one === method).length,
    fetch: (url, init) => {
      requests.push(JSON.parse(String(init.body)).method);
      return globalThis.fetch(url, init);
    },
  };
}
