import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export type NearContract =
  | { kind: 'nep141'; decimals: number; symbol: string; units: Map<string, string> }
  | { kind: 'nep171'; tokens: NearToken[]; hasSupply?: boolean };

export interface NearToken {
  token_id: string;
  owner_id: string;
  metadata?: Readonly<Record<string, unknown>>;
}

export interface NearState {
  finalHeight: number;
  /** The oldest block that this node still has. */
  oldestHeight: number;
  /** Balances in yoctoNEAR. Other accounts do not exist. */
  yocto: Map<string, string>;
  contracts: Map<string, NearContract>;
}

export interface NearRpcEmulator extends HttpEmulator {
  state: NearState;
}

const accountForm = /^(?=.{2,64}$)(([a-z\d]+[-_])*[a-z\d]+\.)*([a-z\d]+[-_])*[a-z\d]+$/;

/** Starts the JSON-RPC of a NEAR node: final blocks, accounts, and the view methods of fungible and non-fungible tokens. */
export async function startNearRpcEmulator(address: EmulatorAddress = {}): Promise<NearRpcEmulator> {
  const state: NearState = {
    finalHeight: 150_000_000,
    oldestHeight: 149_000_000,
    yocto: new Map(),
    contracts: new Map(),
  };
  const emulator = await startHttpEmulator((request) => answer(state, request), address);
  return { ...emulator, state };
}

function answer(state: NearState, { method: verb, body }: EmulatorRequest): EmulatorReply {
  const { id, method, params, jsonrpc } = Object(body);
  if (verb !== 'POST' || jsonrpc !== '2.0') return { status: 400, body: 'Deserialize error' };
  try {
    return { body: { jsonrpc: '2.0', result: run(state, method, Object(params)), id } };
  } catch (error) {
    if (!(error instanceof RpcFailed)) throw error;
    return { body: { jsonrpc: '2.0', error: error.written, id } };
  }
}

class RpcFailed extends Error {
  readonly written: unknown;
  constructor(kind: 'HANDLER_ERROR' | 'REQUEST_VALIDATION_ERROR', cause: string, info: unknown) {
    super(cause);
    const code = kind === 'HANDLER_ERROR' ? -32000 : -32602;
    this.written = {
      name: kind,
      cause: { name: cause, info },
      code,
      message: kind === 'HANDLER_ERROR' ? 'Server error' : 'Invalid params',
      data: info,
    };
  }
}

function run(state: NearState, method: string, params: Record<string, unknown>): unknown {
  const height = heightOf(state, params);
  const at = { block_height: height, block_hash: hashOf(height) };
  if (method === 'block') return { author: 'emulator.near', header: { height, hash: hashOf(height) }, chunks: [] };
  if (method !== 'query') throw new RpcFailed('REQUEST_VALIDATION_ERROR', 'METHOD_NOT_FOUND', { method_name: method });
  const account = String(params.account_id);
  if (!accountForm.test(account))
    throw new RpcFailed('REQUEST_VALIDATION_ERROR', 'PARSE_ERROR', { error_message: 'account_id' });
  const contract = state.contracts.get(account);
  const yocto = state.yocto.get(account) ?? (contract && '0');
  if (yocto === undefined)
    throw new RpcFailed('HANDLER_ERROR', 'UNKNOWN_ACCOUNT', { requested_account_id: account, ...at });
  if (params.request_type === 'view_account') {
    return { amount: yocto, locked: '0', code_hash: '1'.repeat(32), storage_usage: 182, storage_paid_at: 0, ...at };
  }
  if (params.request_type !== 'call_function') {
    throw new RpcFailed('REQUEST_VALIDATION_ERROR', 'PARSE_ERROR', { error_message: 'request_type' });
  }
  if (!contract) throw new RpcFailed('HANDLER_ERROR', 'NO_CONTRACT_CODE', { contract_account_id: account, ...at });
  const args = JSON.parse(Buffer.from(String(params.args_base64), 'base64').toString() || '{}');
  const result = view(contract, String(params.method_name), args);
  if (result === undefined) {
    const vmError = 'wasm execution failed with error: MethodResolveError(MethodNotFound)';
    throw new RpcFailed('HANDLER_ERROR', 'CONTRACT_EXECUTION_ERROR', { vm_error: vmError, ...at });
  }
  return { result: [...Buffer.from(JSON.stringify(result))], logs: [], ...at };
}

function heightOf(state: NearState, { block_id: block, finality }: Record<string, unknown>): number {
  if (block === undefined && (finality === 'final' || finality === 'near-final' || finality === 'optimistic')) {
    return state.finalHeight;
  }
  const height = Number(block);
  if (!Number.isInteger(height))
    throw new RpcFailed('REQUEST_VALIDATION_ERROR', 'PARSE_ERROR', { error_message: 'block_id' });
  if (height > state.finalHeight) throw new RpcFailed('HANDLER_ERROR', 'UNKNOWN_BLOCK', {});
  if (height < state.oldestHeight)
    throw new RpcFailed('HANDLER_ERROR', 'GARBAGE_COLLECTED_BLOCK', { block_height: height });
  return height;
}

function view(contract: NearContract, method: string, args: Record<string, unknown>): unknown {
  if (contract.kind === 'nep141') {
    if (method === 'ft_balance_of') return contract.units.get(String(args.account_id)) ?? '0';
    const { decimals, symbol } = contract;
    return method === 'ft_metadata' ? { spec: 'ft-1.0.0', name: symbol, symbol, decimals } : undefined;
  }
  const owned = contract.tokens.filter((token) => token.owner_id === args.account_id);
  if (method === 'nft_supply_for_owner' && contract.hasSupply !== false) return String(owned.length);
  if (method !== 'nft_tokens_for_owner') return undefined;
  const from = Number(args.from_index ?? 0);
  return owned.slice(from, from + Number(args.limit ?? 50));
}

function hashOf(height: number): string {
  return `H${String(height).padStart(43, '1').replaceAll('0', 'o')}`;
}
