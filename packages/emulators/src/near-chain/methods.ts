import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { totalBalance } from './accounts.ts';
import { answerQuery } from './answer-query.ts';
import type { Block, Chunk } from './block.ts';
import { BorshError, BorshReader } from './borsh.ts';
import type { Chain } from './chain.ts';
import { findBlock, type RpcParams } from './find-block.ts';
import { gasPrice } from './gas.ts';
import { hashOf, isHash, noHash } from './hashes.ts';
import { curveOf, isSigned, keyLength, signatureLength, writeKey } from './keys.ts';
import { handlerError, parseError } from './rpc-error.ts';
import type { Action, Permission, SignedTransaction, Transaction } from './transaction.ts';
import { findInvalid } from './validate-transaction.ts';
import { writeExecution, writeReceipt, writeTransaction } from './write-views.ts';

const validator = 'node0';
const protocolVersion = 80;
const epochLength = 43_200;
const chunkGasLimit = 1_000_000_000_000_000;
const noSignature = writeKey('ed25519', new Uint8Array(64));

function epochOf({ height }: Pick<Block, 'height'>): string {
  return hashOf(`epoch/${Math.floor(height / epochLength)}`);
}

function writeChunkHeader(chunk: Chunk): Record<string, unknown> {
  const root = (name: string) => hashOf(chunk.hash, name);
  return {
    chunk_hash: chunk.hash,
    prev_block_hash: chunk.prevBlockHash,
    outcome_root: root('outcome'),
    prev_state_root: root('state'),
    encoded_merkle_root: root('encoded'),
    encoded_length: 8 + chunk.transactions.length * 256 + chunk.receipts.length * 256,
    height_created: chunk.height,
    height_included: chunk.height,
    shard_id: chunk.shardId,
    gas_used: chunk.gasUsed,
    gas_limit: chunkGasLimit,
    validator_reward: '0',
    rent_paid: '0',
    balance_burnt: String(chunk.balanceBurnt),
    outgoing_receipts_root: root('receipts'),
    tx_root: root('transactions'),
    validator_proposals: [],
    signature: noSignature,
    congestion_info: null,
    bandwidth_requests: null,
  };
}

function writeChunk(chain: Chain, chunk: Chunk): Record<string, unknown> {
  return {
    author: validator,
    header: writeChunkHeader(chunk),
    transactions: chunk.transactions.flatMap((hash) => {
      const included = chain.transactions.get(hash);
      return included === undefined ? [] : [writeTransaction(included.signed)];
    }),
    receipts: chunk.receipts.flatMap((id) => {
      const receipt = chain.receipts.get(id);
      return receipt === undefined ? [] : [writeReceipt(receipt)];
    }),
  };
}

function writeBlock(chain: Chain, block: Block): Record<string, unknown> {
  const mask = block.chunks.map(({ height }) => height === block.height);
  return {
    author: validator,
    header: {
      ...lightFields(block),
      hash: block.hash,
      prev_hash: block.prevHash,
      prev_height: block.prevHeight,
      block_ordinal: block.ordinal,
      chunk_mask: mask,
      chunks_included: mask.filter((isNew) => isNew).length,
      gas_price: String(gasPrice),
      total_supply: String(block.totalSupply),
      last_final_block: finalBefore(chain, block),
      last_ds_final_block: block.prevHash,
      latest_protocol_version: protocolVersion,
    },
    chunks: block.chunks.map(writeChunkHeader),
  };
}

function lightFields(block: Block): Record<string, unknown> {
  const root = (name: string) => hashOf(block.hash, name);
  return {
    height: block.height,
    epoch_id: epochOf(block),
    next_epoch_id: epochOf({ height: block.height + epochLength }),
    prev_state_root: root('state'),
    outcome_root: root('outcome'),
    timestamp: Number(block.timestampNs),
    timestamp_nanosec: String(block.timestampNs),
    next_bp_hash: hashOf('producers'),
    block_merkle_root: root('merkle'),
    block_body_hash: root('body'),
    chunk_receipts_root: root('receipts'),
    chunk_headers_root: root('headers'),
    chunk_tx_root: root('transactions'),
    challenges_root: noHash,
    challenges_result: [],
    random_value: root('random'),
    validator_proposals: [],
    validator_reward: '0',
    rent_paid: '0',
    approvals: [noSignature],
    signature: noSignature,
    epoch_sync_data_hash: null,
    chunk_endorsements: null,
  };
}

/** Returns the block that this one made final: the second one before it. */
function finalBefore(chain: Chain, block: Block): string {
  return chain.blockOf(block.prevHash)?.prevHash ?? block.prevHash;
}

type Decoded = { kind: 'decoded'; signed: SignedTransaction; isSigned: boolean } | { kind: 'malformed'; why: string };

/** Parses a signed transaction and verifies its signature. */
function decodeSignedTransaction(bytes: Uint8Array): Decoded {
  const reader = new BorshReader(bytes);
  try {
    const transaction = readTransaction(reader);
    const digest = createHash('sha256').update(bytes.subarray(0, reader.offset)).digest();
    const curve = curveOf(reader.u8());
    if (curve === undefined) throw new BorshError('The signature has an unknown curve.');
    const signature = reader.fixed(signatureLength(curve));
    if (!reader.isAtEnd) throw new BorshError('There are bytes after the signature.');
    return {
      kind: 'decoded',
      isSigned: transaction.publicKey.startsWith(curve) && isSigned(transaction.publicKey, digest, signature),
      signed: { transaction, hash: base58.encode(digest), signature: writeKey(curve, signature) },
    };
  } catch (error) {
    return { kind: 'malformed', why: error instanceof Error ? error.message : 'unreadable' };
  }
}

function readTransaction(reader: BorshReader): Transaction {
  return {
    signerId: reader.text(),
    publicKey: readPublicKey(reader),
    nonce: reader.u64(),
    receiverId: reader.text(),
    blockHash: base58.encode(reader.fixed(32)),
    actions: reader.list(() => readAction(reader)),
  };
}

function readPublicKey(reader: BorshReader): string {
  const curve = curveOf(reader.u8());
  if (curve === undefined) throw new BorshError('The key has an unknown curve.');
  return writeKey(curve, reader.fixed(keyLength(curve)));
}

function readPermission(reader: BorshReader): Permission {
  if (reader.u8() === 1) return 'FullAccess';
  const allowance = reader.u8() === 1 ? reader.u128() : null;
  return { allowance, receiverId: reader.text(), methodNames: reader.list(() => reader.text()) };
}

const readers: readonly ((reader: BorshReader) => Action)[] = [
  () => ({ kind: 'CreateAccount' }),
  (reader) => ({ kind: 'DeployContract', code: reader.bytes() }),
  (reader) => ({
    kind: 'FunctionCall',
    method: reader.text(),
    args: reader.bytes(),
    gas: Number(reader.u64()),
    deposit: reader.u128(),
  }),
  (reader) => ({ kind: 'Transfer', deposit: reader.u128() }),
  (reader) => ({ kind: 'Stake', stake: reader.u128(), publicKey: readPublicKey(reader) }),
  (reader) => ({
    kind: 'AddKey',
    publicKey: readPublicKey(reader),
    nonce: reader.u64(),
    permission: readPermission(reader),
  }),
  (reader) => ({ kind: 'DeleteKey', publicKey: readPublicKey(reader) }),
  (reader) => ({ kind: 'DeleteAccount', beneficiaryId: reader.text() }),
];
const useGlobalContract = 10;

function readAction(reader: BorshReader): Action {
  const index = reader.u8();
  if (index === useGlobalContract) return readUseGlobal(reader);
  const read = readers[index];
  if (read === undefined) throw new BorshError(`Action ${index} is not known here.`);
  return read(reader);
}

function readUseGlobal(reader: BorshReader): Action {
  const isHash = reader.u8() === 0;
  return {
    kind: 'UseGlobalContract',
    codeHash: isHash ? base58.encode(reader.fixed(32)) : undefined,
    accountId: isHash ? undefined : reader.text(),
  };
}

export interface Node {
  chain: Chain;
  chainId: string;
  nodeKey: string;
  /** A transaction may refer to a block that is at most this many heights old. */
  validityHeights: number;
  /** Whether transactions go into blocks at once, or wait until a block is produced explicitly. */
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

/** Produces blocks until nothing is pending and all of it is final. */
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

/** The JSON-RPC methods of a node, as far as clients and indexers use them. */
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
