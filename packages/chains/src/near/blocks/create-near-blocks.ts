import { fieldOf } from '@latchkey/adapter-kit';
import type {
  NearAction,
  NearBlockSeen,
  NearBlocks,
  NearChunkSeen,
  NearReceiptSeen,
  NearTransactionOutcome,
  NearTransactionSeen,
} from '@latchkey/core/ports';
import { createAskNear, NearRefusal, type NearRpcOptions } from './ask-near.ts';

export interface NearBlocksOptions extends NearRpcOptions {
  network: string;
  /** The height after which to start; defaults to the newest block. */
  startsAfter?: number | undefined;
}

/** Reads a NEAR network over the JSON-RPC of its nodes: blocks with their chunks, and transaction outcomes. */
export function createNearBlocks({ network, startsAfter, ...options }: NearBlocksOptions): NearBlocks {
  const ask = createAskNear(options);

  const block = async (at: number | string, signal: AbortSignal): Promise<NearBlockSeen | undefined> => {
    const found = await unless(['UNKNOWN_BLOCK', 'GARBAGE_COLLECTED_BLOCK'], ask('block', { block_id: at }, signal));
    if (found === undefined) return undefined;
    const header = fieldOf(found, 'header');
    const height = numberOf(header, 'height');
    // A shard that produced no chunk at this height repeats its last one.
    const fresh = listOf(found, 'chunks').filter((chunk) => fieldOf(chunk, 'height_included') === height);
    const hashes = fresh.map((chunk) => textOf(chunk, 'chunk_hash'));
    const chunks = hashes.map(async (hash) => readChunk(hash, await ask('chunk', { chunk_id: hash }, signal)));
    return {
      height,
      hash: textOf(header, 'hash'),
      previousHash: textOf(header, 'prev_hash'),
      timestamp: digitsOf(header, 'timestamp_nanosec'),
      chunks: await Promise.all(chunks),
    };
  };

  return {
    network,
    ...(startsAfter !== undefined && { startsAfter }),
    newest: async (signal) => numberOf(fieldOf(await ask('block', { finality: 'final' }, signal), 'header'), 'height'),
    block,
    outcome: async (hash, signer, signal) => {
      const params = { tx_hash: hash, sender_account_id: signer, wait_until: 'NONE' };
      const found = await unless(['UNKNOWN_TRANSACTION'], ask('EXPERIMENTAL_tx_status', params, signal));
      return found === undefined ? undefined : readOutcome(found);
    },
  };
}

/** Returns undefined for refusals with these causes. */
async function unless(causes: readonly string[], answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NearRefusal && causes.includes(error.reason)) return undefined;
    throw error;
  }
}

function readChunk(hash: string, chunk: unknown): NearChunkSeen {
  return {
    hash,
    transactions: listOf(chunk, 'transactions').map(readTransaction),
    receipts: listOf(chunk, 'receipts').flatMap(readReceipt),
  };
}

function readTransaction(given: unknown): NearTransactionSeen {
  return {
    hash: textOf(given, 'hash'),
    signer: textOf(given, 'signer_id'),
    signerKey: textOf(given, 'public_key'),
    receiver: textOf(given, 'receiver_id'),
    nonce: numberOf(given, 'nonce'),
    signature: textOf(given, 'signature'),
    actions: listOf(given, 'actions').map(readAction),
  };
}

/** Returns a receipt with actions or data; other kinds contain nothing to index. */
function readReceipt(given: unknown): NearReceiptSeen[] {
  const body = fieldOf(given, 'receipt');
  const actions = fieldOf(body, 'Action');
  const isData = fieldOf(body, 'Data') !== undefined;
  if (actions === undefined && !isData) return [];
  return [
    {
      id: textOf(given, 'receipt_id'),
      kind: isData ? 'DATA' : 'ACTION',
      predecessor: textOf(given, 'predecessor_id'),
      receiver: textOf(given, 'receiver_id'),
      actions: isData ? [] : listOf(actions, 'actions').map(readAction),
    },
  ];
}

/** An action is a string, or an object with that string as its only field. */
function readAction(given: unknown): NearAction {
  if (typeof given === 'string') return { kind: given };
  const [kind = 'Unknown'] = Object.keys(Object(given));
  // A delegate action wraps another action; the resulting receipt contains it unwrapped.
  if (kind !== 'FunctionCall') return { kind };
  const call = fieldOf(given, kind);
  return { kind, method: textOf(call, 'method_name'), args: textOf(call, 'args') };
}

const finished = new Set(['EXECUTED', 'FINAL']);

function readOutcome(given: unknown): NearTransactionOutcome {
  const own = fieldOf(fieldOf(given, 'transaction_outcome'), 'outcome');
  // A transaction that was only just accepted has no outcome yet.
  if (own === undefined) return unknownOutcome;
  const outcomes = listOf(given, 'receipts_outcome');
  const receipts = fieldOf(given, 'receipts');
  const first = ids(own)[0];
  return {
    status: statusOf(fieldOf(own, 'status')),
    isFinal: finished.has(String(fieldOf(given, 'final_execution_status'))),
    ...(first !== undefined && { receiptId: first }),
    gasBurnt: decimalOf(fieldOf(own, 'gas_burnt')),
    tokensBurnt: decimalOf(fieldOf(own, 'tokens_burnt')),
    receiptIds: [
      ...new Set([
        ...ids(own),
        ...outcomes.flatMap((entry) => [textOf(entry, 'id'), ...ids(fieldOf(entry, 'outcome'))]),
        ...(Array.isArray(receipts) ? receipts.map((receipt) => textOf(receipt, 'receipt_id')) : []),
      ]),
    ],
    logs: outcomes.flatMap((entry) => {
      const outcome = fieldOf(entry, 'outcome');
      const lines = listOf(outcome, 'logs').filter((line) => typeof line === 'string');
      const log = { receiptId: textOf(entry, 'id'), contract: textOf(outcome, 'executor_id'), lines };
      return lines.length === 0 ? [] : [log];
    }),
  };
}

const unknownOutcome: NearTransactionOutcome = {
  status: 'UNKNOWN',
  isFinal: false,
  gasBurnt: '0',
  tokensBurnt: '0',
  receiptIds: [],
  logs: [],
};

function ids(outcome: unknown): string[] {
  return listOf(outcome, 'receipt_ids').filter((id) => typeof id === 'string');
}

function statusOf(status: unknown): NearTransactionOutcome['status'] {
  const kind = typeof status === 'object' && status !== null ? Object.keys(status)[0] : status;
  if (kind === 'SuccessReceiptId') return 'SUCCESS_RECEIPT_ID';
  if (kind === 'SuccessValue') return 'SUCCESS_VALUE';
  return kind === 'Failure' ? 'FAILURE' : 'UNKNOWN';
}

/** Amounts are decimal strings. Gas is a number, or a string if it is too large for one. */
function decimalOf(value: unknown): string {
  const text = String(value ?? 0);
  if (!/^\d{1,39}$/.test(text)) throw new Error('A NEAR node sent an amount that is not an integer.');
  return text;
}

/** Reads a field that every node returns. A response without it violates the protocol and is not used. */
function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  // PostgreSQL cannot store NUL in text, and no name on NEAR contains it.
  if (typeof field !== 'string' || field.includes('\0')) throw wrong(name);
  return field;
}

function numberOf(value: unknown, name: string): number {
  const field = fieldOf(value, name);
  if (typeof field !== 'number' || !Number.isSafeInteger(field)) throw wrong(name);
  return field;
}

/** Reads an integer that is sent as a string, because it exceeds JSON numbers. */
function digitsOf(value: unknown, name: string): string {
  const field = textOf(value, name);
  if (!/^\d{1,20}$/.test(field)) throw wrong(name);
  return field;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  if (!Array.isArray(field)) throw wrong(name);
  return field;
}

function wrong(name: string): Error {
  return new Error(`A NEAR node sent no usable ${name}.`);
}
