import { within } from '@latchkey/adapter-kit';
import { BaseError, createPublicClient, type Hex, http, isHex, RpcRequestError } from 'viem';

/** The connection settings of a node. */
export interface RpcOptions {
  url: string;
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface EvmCall {
  /** Omitted to run the data as the constructor of a contract that is thrown away afterwards. */
  to?: Hex | undefined;
  data: Hex;
}

/** The few requests that a wallet proof needs. Each throws if the node gave no usable response. */
export interface EvmRpc {
  chainId(): Promise<string>;
  code(address: Hex): Promise<Hex>;
  /** Returns what a contract returned, or undefined if it reverted. */
  call(call: EvmCall): Promise<Hex | undefined>;
}

// Nodes report a revert in many ways: code 3 (geth), -32015 (Nethermind), or only in the message, with -32000 (Besu) or -32603 (Hardhat).
// Anything that is not clearly a revert, such as a rate limit or a missing block, says nothing about the contract.
const revertCodes: readonly number[] = [3, -32015];

function isRevert(error: unknown): boolean {
  const refusal = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : undefined;
  if (!(refusal instanceof RpcRequestError)) return false;
  return revertCodes.includes(refusal.code) || /revert|invalid opcode/i.test(refusal.details);
}

function hexAnswer(value: unknown): Hex {
  if (!isHex(value)) throw new Error('The node sent a response that is not hexadecimal.');
  return value;
}

/** Creates a JSON-RPC client of one node, without retries and without following redirects. */
export function createEvmRpc({ url, fetch, timeoutMs, signal }: RpcOptions): EvmRpc {
  const fetchOptions = { redirect: 'error', signal: within(timeoutMs, signal) } as const;
  const transport = http(url, { fetchFn: fetch, fetchOptions, retryCount: 0, timeout: 0 });
  const client = createPublicClient({ transport, ccipRead: false });
  return {
    async chainId() {
      return BigInt(hexAnswer(await client.request({ method: 'eth_chainId' }))).toString();
    },
    async code(address) {
      return hexAnswer(await client.request({ method: 'eth_getCode', params: [address, 'latest'] }));
    },
    async call(call) {
      try {
        return hexAnswer(await client.request({ method: 'eth_call', params: [call, 'latest'] }));
      } catch (error) {
        if (isRevert(error)) return undefined;
        throw error;
      }
    },
  };
}
