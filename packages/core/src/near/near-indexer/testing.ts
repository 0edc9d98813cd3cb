import type {
  NearBlockSeen,
  NearBlocks,
  NearReceiptSeen,
  NearTransactionOutcome,
  NearTransactionSeen,
} from '../../ports/index.ts';

export interface MemoryCall {
  signer: string;
  contract: string;
  method: string;
  args: string | Readonly<Record<string, unknown>>;
  /** The cost of converting the transaction into a receipt, in yoctoNEAR. */
  tokensBurnt?: string;
  /** What the contract logs. */
  logs?: readonly string[];
  /** A call that the contract makes in turn, in the next block. */
  calls?: { contract: string; method: string; args: Readonly<Record<string, unknown>> };
}

export interface MemoryNetwork extends NearBlocks {
  /** Adds a block with these calls; their receipts are in the next block. */
  addBlock(calls?: readonly MemoryCall[], options?: { skipHeights?: number; timestamp?: string }): NearBlockSeen;
  /** Requests for these heights return nothing, though their hashes are known. */
  hiddenHeights: Set<number>;
  /** Blocks that no node has any more. */
  lostHashes: Set<string>;
  /** Transactions with pending receipts. */
  unfinished: Set<string>;
  isDown: boolean;
}

/** A NEAR network in memory, for tests of the index. */
export function memoryNetwork(): MemoryNetwork {
  const blocks = new Map<string, NearBlockSeen>();
  const outcomes = new Map<string, NearTransactionOutcome>();
  let waiting: NearReceiptSeen[] = [];
  let newest: NearBlockSeen | undefined;
  let count = 0;

  const answer = async <T>(value: () => T): Promise<T> => {
    if (network.isDown) throw new Error('NEAR node 1: could not be reached.');
    return value();
  };

  function perform(call: MemoryCall): NearTransactionSeen {
    const n = count++;
    const [hash, receiptId] = [`tx${n}`, `receipt${n}`];
    const text = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
    const args = Buffer.from(text).toString('base64');
    const actions = [{ kind: 'FunctionCall', method: call.method, args }];
    const receiptIds = [receiptId];
    if (call.signer !== call.contract)
      waiting.push({ id: receiptId, kind: 'ACTION', predecessor: call.signer, receiver: call.contract, actions });
    if (call.calls !== undefined) {
      const inner = Buffer.from(JSON.stringify(call.calls.args)).toString('base64');
      const further = [{ kind: 'FunctionCall', method: call.calls.method, args: inner }];
      const sent = { kind: 'ACTION', predecessor: call.contract, receiver: call.calls.contract } as const;
      waiting.push({ ...sent, id: `${receiptId}b`, actions: further });
      receiptIds.push(`${receiptId}b`);
    }
    const logs = call.logs === undefined ? [] : [{ receiptId, contract: call.contract, lines: call.logs }];
    const burnt = { gasBurnt: '2428000000000', tokensBurnt: call.tokensBurnt ?? '242800000000000000000' };
    outcomes.set(hash, { status: 'SUCCESS_RECEIPT_ID', isFinal: true, receiptId, receiptIds, logs, ...burnt });
    return {
      hash,
      signer: call.signer,
      signerKey: 'ed25519:k',
      receiver: call.contract,
      nonce: n,
      signature: 's',
      actions,
    };
  }

  const network: MemoryNetwork = {
    network: 'localnet',
    hiddenHeights: new Set(),
    lostHashes: new Set(),
    unfinished: new Set(),
    isDown: false,
    addBlock: (calls = [], { skipHeights = 0, timestamp } = {}) => {
      const height = (newest?.height ?? 100) + 1 + skipHeights;
      const receipts = waiting;
      waiting = [];
      const chunk = { hash: `chunk${height}`, receipts, transactions: calls.map(perform) };
      const previousHash = newest?.hash ?? 'genesis';
      const time = timestamp ?? `${height}000000000`;
      newest = { height, hash: `block${height}`, previousHash, timestamp: time, chunks: [chunk] };
      blocks.set(newest.hash, newest);
      return newest;
    },
    newest: () => answer(() => newest?.height ?? 0),
    block: (at) =>
      answer(() => {
        const found = typeof at === 'string' ? blocks.get(at) : blocks.get(`block${at}`);
        const isHidden = typeof at === 'number' && network.hiddenHeights.has(at);
        return found === undefined || isHidden || network.lostHashes.has(found.hash) ? undefined : found;
      }),
    outcome: (hash) =>
      answer(() => {
        const found = outcomes.get(hash);
        if (found === undefined || !network.unfinished.has(hash)) return found;
        return { ...found, isFinal: false, receiptIds: [], logs: [] };
      }),
  };
  return network;
}

export * as reads from './reads.ts';
