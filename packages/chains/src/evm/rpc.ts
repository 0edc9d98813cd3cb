import { within } from '@latchkey/adapter-kit';
import { BaseError, createPublicClient, type Hex, http, isHex, RpcRequestError } from 'viem';

/** How the node of a chain is reached. */
export interface RpcOptions {
  url: string;
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface EvmCall {
  /** Left out to run the data as the constructor of a contract that is thrown away afterwards. */
  to?: Hex | undefined;
  data: Hex;
}

/** The few questions a wallet proof asks of a chain. Each throws when the node gave no usable answer. */
export interface EvmRpc {
  chainId(): Promise<string>;
  code(address: Hex): Promise<Hex>;
  /** What a contract answered, or undefined when it reverted. */
  call(call: EvmCall): Promise<Hex | undefined>;
}

// Nodes spell a revert in many ways: code 3 (geth), -32015 (Nethermind), or only in words, with -32000 (Besu) or -32603
// (Hardhat). Whatever is not plainly a revert, such as a rate limit or a missing block, is no answer of the contract.
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

/** Speaks JSON-RPC over HTTP to one node, without retries and without following redirects. */
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
