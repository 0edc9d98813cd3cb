import { systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import { type EmulatorReply, type EmulatorRequest, startHttpEmulator } from '../http-emulator/index.ts';
import { ContractPanic } from './contracts/contract.ts';
import { Ledger } from './ledger.ts';
import { methods, type Node } from './methods.ts';
import type { NearChain, NearChainOptions } from './near-chain.ts';
import { RpcError } from './rpc-error.ts';
import { testAccount } from './test-keys.ts';

/**
 * A NEAR network of one node: the JSON-RPC over HTTP, blocks, chunks and receipts, and contracts for tokens and a market.
 * Transactions are judged and executed as they come; nothing happens in between.
 */
export async function startNearChain(options: NearChainOptions = {}): Promise<NearChain> {
  const { seed = 'near', chainId = 'localnet', validityHeights = 86_400, host, port } = options;
  const ledger = new Ledger({
    seed,
    clock: options.clock ?? systemMs,
    dice: createDice(numberOf(seed)),
    shards: options.shards ?? 2,
    firstHeight: options.firstHeight ?? 100_000,
    skipProbability: options.skipProbability ?? 0.05,
    missingChunkProbability: options.missingChunkProbability ?? 0.02,
  });
  const { publicKey: nodeKey } = testAccount(seed, 'node0');
  const node: Node = { chain: ledger.chain, chainId, nodeKey, validityHeights, isHolding: false };
  const emulator = await startHttpEmulator((request) => answer(node, request), {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  });
  return {
    ...emulator,
    chainId,
    createAccount: (id, balance) => ledger.createAccount(id, balance),
    deploy: (id, code, init) => ledger.deploy(id, code, init),
    act: (signer, receiver, actions) => ledger.act(signer, receiver, actions),
    view: (contract, method, args) => ledger.view(contract, method, args),
    balanceOf: (id) => ledger.balanceOf(id),
    makeBlocks: (count) => ledger.makeBlocks(count),
    produce: (count, shape) => ledger.produce(count, shape),
    forgetBelow: (height) => ledger.chain.state.forgetBelow(height),
    hold: () => {
      node.isHolding = true;
    },
    release: () => {
      node.isHolding = false;
      ledger.settle();
    },
    get head() {
      return ledger.chain.head;
    },
    get final() {
      return ledger.chain.final;
    },
    get totals() {
      return ledger.totals;
    },
  };
}

function numberOf(seed: string): number {
  return [...seed].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
}

function answer(node: Node, { method: verb, body }: EmulatorRequest): EmulatorReply {
  const { id, method, params, jsonrpc } = Object(body);
  if (verb === 'GET') return { body: Object.hasOwn(methods, 'status') ? methods.status?.(node, {}, []) : null };
  if (verb !== 'POST' || jsonrpc !== '2.0') return { status: 400, body: 'Deserialize error' };
  try {
    const run = typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined)
      throw new RpcError('REQUEST_VALIDATION_ERROR', 'METHOD_NOT_FOUND', { method_name: String(method) });
    const list = Array.isArray(params) ? params : [];
    return { body: { jsonrpc: '2.0', result: run(node, Array.isArray(params) ? {} : Object(params), list), id } };
  } catch (error) {
    if (error instanceof RpcError) return { body: { jsonrpc: '2.0', error: error.written, id } };
    if (error instanceof ContractPanic) return { status: 500, body: error.message };
    throw error;
  }
}
