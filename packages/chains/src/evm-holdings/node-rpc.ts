import { askJsonRpc, type Endpoint, EndpointFault, type RpcFetch } from '../endpoints/index.ts';

export type Hex = `0x${string}`;

export interface BlockHeader {
  number: bigint;
  hash: Hex;
  parentHash: Hex;
  timestampSeconds: bigint;
  /** The bloom filter of the addresses and topics in its logs, if the node returns it. */
  bloom?: Hex;
}

export interface EvmLog {
  address: Hex;
  topics: readonly Hex[];
  data: Hex;
  blockNumber: bigint;
  blockHash: Hex;
  logIndex: bigint;
}

export interface LogFilter {
  address?: Hex | readonly Hex[];
  /** One entry for each position; null matches anything. */
  topics: readonly (Hex | readonly Hex[] | null)[];
}

export type BlockTag = bigint | 'latest';

/** The requests to one node. A response that violates Ethereum's JSON-RPC specification throws `EndpointFault`. */
export interface NodeRpc {
  chainId(): Promise<string>;
  /** Returns undefined if the chain has no such block. */
  header(block: BlockTag): Promise<BlockHeader | undefined>;
  /** `lent` is a state override: code at addresses for this call only. */
  call(call: { to?: Hex; data: Hex }, block: BlockTag, lent?: Record<Hex, { code: string }>): Promise<Hex>;
  balance(account: Hex, block: BlockTag): Promise<bigint>;
  code(address: Hex, block: BlockTag): Promise<Hex>;
  logs(filter: LogFilter, range: { fromBlock: bigint; toBlock: bigint } | { blockHash: Hex }): Promise<EvmLog[]>;
}

export function createNodeRpc({ url }: Endpoint, signal: AbortSignal, fetch: RpcFetch): NodeRpc {
  const ask = (method: string, params: readonly unknown[]) => askJsonRpc({ url, method, params, signal, fetch });
  return {
    chainId: async () => toQuantity(await ask('eth_chainId', [])).toString(),
    header: async (block) => {
      const header = await ask('eth_getBlockByNumber', [toTag(block), false]);
      return header === null ? undefined : toHeader(header, block);
    },
    call: async (call, block, lent) => toHex(await ask('eth_call', [call, toTag(block), ...(lent ? [lent] : [])])),
    balance: async (account, block) => toQuantity(await ask('eth_getBalance', [account, toTag(block)])),
    code: async (address, block) => toHex(await ask('eth_getCode', [address, toTag(block)])),
    logs: async (filter, range) => {
      const place = 'blockHash' in range ? range : { fromBlock: toTag(range.fromBlock), toBlock: toTag(range.toBlock) };
      const logs = await ask('eth_getLogs', [{ ...filter, ...place }]);
      if (!Array.isArray(logs)) throw malformed();
      return logs.filter((log) => Object(log).removed !== true).map(toLog);
    },
  };
}

function toTag(block: BlockTag): string {
  return block === 'latest' ? block : `0x${block.toString(16)}`;
}

function toHeader(value: unknown, request: BlockTag): BlockHeader {
  const { number, hash, parentHash, timestamp, logsBloom } = Object(value);
  const header: BlockHeader = {
    number: toQuantity(number),
    hash: toHash(hash),
    parentHash: toHash(parentHash),
    timestampSeconds: toQuantity(timestamp),
    ...(typeof logsBloom === 'string' && { bloom: toHex(logsBloom, 256) }),
  };
  if (request !== 'latest' && header.number !== request)
    throw new EndpointFault('sent a different block than requested');
  return header;
}

function toLog(value: unknown): EvmLog {
  const { address, topics, data, blockNumber, blockHash, logIndex } = Object(value);
  if (!Array.isArray(topics) || topics.length > 4) throw malformed();
  return {
    address: toHex(address, 20),
    topics: topics.map((topic) => toHash(topic)),
    data: toHex(data),
    blockNumber: toQuantity(blockNumber),
    blockHash: toHash(blockHash),
    logIndex: toQuantity(logIndex),
  };
}

function toQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw malformed();
  return BigInt(value);
}

function toHash(value: unknown): Hex {
  return toHex(value, 32);
}

function toHex(value: unknown, bytes?: number): Hex {
  const isHex = typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(value);
  if (!isHex || (bytes !== undefined && value.length !== 2 + 2 * bytes)) throw malformed();
  // The pattern above guarantees the type.
  return value.toLowerCase() as Hex;
}

function malformed(): EndpointFault {
  return new EndpointFault('sent a response that violates its protocol');
}
