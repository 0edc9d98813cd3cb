import { totalBalance } from './accounts.ts';
import { answerQuery } from './answer-query.ts';
import type { Chain } from './chain.ts';
import { decodeSignedTransaction } from './decode-transaction.ts';
import { findBlock, type RpcParams } from './find-block.ts';
import { gasPrice } from './gas.ts';
import { isHash } from './hashes.ts';
import { handlerError, parseError } from './rpc-error.ts';
import type { SignedTransaction } from './transaction.ts';
import { findInvalid } from './validate-transaction.ts';
import { epochLength, epochOf, protocolVersion, validator, writeBlock, writeChunk } from './write-blocks.ts';
import { writeExecution, writeReceipt } from './write-views.ts';

export interface Node {
  chain: Chain;
  chainId: string;
  nodeKey: string;
  /** A transaction may name a block that is at most so many heights old. */
  validityHeights: number;
  /** Whether transactions go into blocks at once, or wait until somebody makes a block. */
  isHolding: boolean;
}

type Method = (node: Node, params: RpcParams, list: readonly unknown[]) => unknown;

function submit(node: Node, encoded: unknown): SignedTransaction {
  if (typeof encoded !== 'string') throw parseError('Failed parsing args: signed_tx_base64');
  const decoded = decodeSignedTransaction(Buffer.from(encoded, 'base64'));
  if (decoded.kind === 'malformed') throw parseError(`Failed parsing args: ${decoded.why}`);
  const { signed } = decoded;
  const { chain } = node;
  if (chain.transactions.has(signed.hash) || chain.isWaiting(signed.hash)) return signed;
  const named = chain.blockOf(signed.transaction.blockHash);
  const isExpired = named === undefined || chain.head.height - named.height > node.validityHeights;
  const invalid = !decoded.isSigned
    ? 'InvalidSignature'
    : isExpired
      ? 'Expired'
      : findInvalid(chain.state, signed.transaction, chain.nextHeight);
  if (invalid !== undefined)
    throw handlerError('INVALID_TRANSACTION', {}, { TxExecutionError: { InvalidTxError: invalid } });
  chain.enqueue(signed);
  if (!node.isHolding) settle(chain);
  return signed;
}

/** Makes blocks until nothing is on its way and all of it is final. */
export function settle(chain: Chain): void {
  while (chain.isBusy) chain.makeBlock();
  chain.makeBlock();
  chain.makeBlock();
}

function statusOf(node: Node, hash: string, hasReceipts: boolean): unknown {
  const included = node.chain.transactions.get(hash);
  if (included !== undefined) return writeExecution(node.chain, included, hasReceipts);
  if (node.chain.isWaiting(hash)) throw handlerError('TIMEOUT_ERROR', undefined, 'Timeout');
  throw handlerError('UNKNOWN_TRANSACTION', { requested_transaction_hash: hash }, `Transaction ${hash} doesn't exist`);
}

function send(node: Node, encoded: unknown, waitUntil: unknown = 'EXECUTED_OPTIMISTIC'): unknown {
  const { hash } = submit(node, encoded);
  return waitUntil === 'NONE' ? { final_execution_status: 'NONE' } : statusOf(node, hash, false);
}

const status =
  (hasReceipts: boolean): Method =>
  (node, params, list) => {
    const encoded = params.signed_tx_base64;
    if (encoded !== undefined) return statusOf(node, submit(node, encoded).hash, hasReceipts);
    const hash = params.tx_hash ?? list[0];
    const sender = params.sender_account_id ?? list[1];
    if (typeof hash !== 'string' || !isHash(hash) || typeof sender !== 'string')
      throw parseError('Failed parsing args: tx');
    return statusOf(node, hash, hasReceipts);
  };

function nodeStatus({ chain, chainId, nodeKey }: Node): unknown {
  const { head, genesis } = chain;
  const timeOf = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString();
  return {
    version: { version: '2.9.0', build: 'emulator', rustc_version: '1.86.0' },
    chain_id: chainId,
    genesis_hash: genesis.hash,
    protocol_version: protocolVersion,
    latest_protocol_version: protocolVersion,
    rpc_addr: null,
    validators: [{ account_id: validator }],
    sync_info: {
      latest_block_hash: head.hash,
      latest_block_height: head.height,
      latest_state_root: head.hash,
      latest_block_time: timeOf(head.timestampNs),
      syncing: false,
      earliest_block_hash: genesis.hash,
      earliest_block_height: genesis.height,
      earliest_block_time: timeOf(genesis.timestampNs),
      epoch_id: epochOf(head),
      epoch_start_height: Math.floor(head.height / epochLength) * epochLength,
    },
    validator_account_id: validator,
    validator_public_key: nodeKey,
    node_public_key: nodeKey,
    node_key: null,
    uptime_sec: 1,
  };
}

function validators({ chain, nodeKey }: Node): unknown {
  const stake = '50000000000000000000000000000';
  const known = { account_id: validator, public_key: nodeKey, stake, shards: [0] };
  const { height } = chain.head;
  return {
    current_validators: [{ ...known, is_slashed: false, num_produced_blocks: 1, num_expected_blocks: 1 }],
    next_validators: [known],
    current_fishermen: [],
    next_fishermen: [],
    current_proposals: [],
    prev_epoch_kickout: [],
    epoch_start_height: Math.floor(height / epochLength) * epochLength,
    epoch_height: Math.floor(height / epochLength),
  };
}

function protocolConfig({ chain, chainId, validityHeights }: Node): unknown {
  return {
    protocol_version: protocolVersion,
    chain_id: chainId,
    genesis_height: chain.genesis.height,
    epoch_length: epochLength,
    transaction_validity_period: validityHeights,
    min_gas_price: String(gasPrice),
    max_gas_price: '10000000000000000000000',
    minimum_stake_ratio: [1, 62_500],
    total_supply: String(totalBalance(chain.state)),
    runtime_config: { storage_amount_per_byte: '10000000000000000000' },
  };
}

/** The methods of a node's JSON-RPC, as far as clients and indexers use them. */
export const methods: Readonly<Record<string, Method>> = {
  block: ({ chain }, params, list) =>
    writeBlock(chain, findBlock(chain, list.length > 0 ? { block_id: list[0] } : params)),
  chunk: ({ chain }, params, list) => {
    const wanted = params.chunk_id ?? list[0];
    if (typeof wanted === 'string') {
      const chunk = chain.chunks.get(wanted);
      if (chunk === undefined) throw handlerError('UNKNOWN_CHUNK', { chunk_hash: wanted });
      return writeChunk(chain, chunk);
    }
    const [blockId, shard] = Array.isArray(wanted) ? wanted : [params.block_id, params.shard_id];
    const chunk = findBlock(chain, { block_id: blockId }).chunks[Number(shard)];
    if (chunk === undefined) throw handlerError('INVALID_SHARD_ID', { shard_id: Number(shard) });
    return writeChunk(chain, chunk);
  },
  tx: status(false),
  EXPERIMENTAL_tx_status: status(true),
  send_tx: (node, params, list) => send(node, params.signed_tx_base64 ?? list[0], params.wait_until),
  broadcast_tx_commit: (node, params, list) => send(node, params.signed_tx_base64 ?? list[0]),
  broadcast_tx_async: (node, params, list) => submit(node, params.signed_tx_base64 ?? list[0]).hash,
  query: ({ chain }, params) => answerQuery(chain, params),
  status: (node) => nodeStatus(node),
  gas_price: ({ chain }, _params, list) => {
    if (list[0] !== null && list[0] !== undefined) findBlock(chain, { block_id: list[0] });
    return { gas_price: String(gasPrice) };
  },
  EXPERIMENTAL_receipt: ({ chain }, { receipt_id: id }) => {
    const receipt = chain.receipts.get(String(id));
    if (receipt === undefined) throw handlerError('UNKNOWN_RECEIPT', { receipt_id: id });
    return writeReceipt(receipt);
  },
  validators: (node) => validators(node),
  network_info: () => ({
    active_peers: [],
    num_active_peers: 0,
    peer_max_count: 40,
    sent_bytes_per_sec: 0,
    received_bytes_per_sec: 0,
    known_producers: [],
  }),
  EXPERIMENTAL_protocol_config: (node) => protocolConfig(node),
  EXPERIMENTAL_genesis_config: (node) => protocolConfig(node),
  genesis_config: (node) => protocolConfig(node),
  health: () => null,
};
