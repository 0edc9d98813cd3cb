import { addBalance, findAccount } from './accounts.ts';
import { type Args, type Call, ContractPanic, Promised, type Storage, type View } from './contracts/contract.ts';
import { contracts } from './contracts/index.ts';
import { attachedGas, feeOf, gasOfMethod } from './gas.ts';
import { ActionFailed, type ActionReceipt, type Failure } from './receipt.ts';
import { type Action, totalDeposit } from './transaction.ts';
import { wasmModule } from './wasm/artifacts.ts';
import { byteStorage, readByteStorage } from './wasm/byte-storage.ts';
import { runWasm } from './wasm/run-wasm.ts';
import { ProhibitedInView } from './wasm/wasm-context.ts';
import type { ReadState, WorldState } from './world-state.ts';

/** A receipt that a method requested. */
export interface Planned {
  receiverId: string;
  actions: readonly Action[];
  after: readonly number[];
}

export interface MethodRun {
  value: Uint8Array | Promised;
  gasBurnt: number;
  /** Burnt, or passed on to requested receipts. */
  gasUsed: number;
}

export interface RunHost {
  state: WorldState;
  receipt: ActionReceipt;
  inputs: readonly (Uint8Array | undefined)[];
  timestampNs: bigint;
  logs: string[];
  planned: Planned[];
}

type FunctionCall = Extract<Action, { kind: 'FunctionCall' }>;

interface ViewCall {
  account: string;
  method: string;
  args: Uint8Array;
  timestampNs: bigint;
}

type Viewed = { kind: 'value'; value: Uint8Array } | { kind: 'no-method' | 'not-a-view' };

const tera = 1_000_000_000_000;

function functionCallError(failure: unknown): Failure {
  return { FunctionCallError: failure };
}

/** Runs a method of a contract. Any failure rolls back the receipt. */
export function runMethod(host: RunHost, action: FunctionCall): MethodRun {
  const { state, receipt } = host;
  const code = findAccount(state, receipt.receiverId)?.code;
  if (code === undefined)
    throw new ActionFailed(
      functionCallError({ CompilationError: { CodeDoesNotExist: { account_id: receipt.receiverId } } }),
    );
  const plannedBefore = host.planned.length;
  const module = wasmModule(code);
  const answer = module === undefined ? runNative(host, action, code) : runCompiled(host, action, module);
  const made = host.planned.slice(plannedBefore);
  const sending = made.reduce((sum, { actions }) => sum + feeOf(actions), 0);
  const handedOn = made.reduce((sum, { actions }) => sum + feeOf(actions) + attachedGas(actions), 0);
  const gasBurnt = gasOfMethod + sending;
  if (gasBurnt + handedOn > action.gas)
    throw new ActionFailed(functionCallError({ ExecutionError: 'Exceeded the prepaid gas.' }));
  return { value: answer instanceof Promised ? answer : toBytes(answer), gasBurnt, gasUsed: gasBurnt + handedOn };
}

function noMethod(): ActionFailed {
  return new ActionFailed(functionCallError({ MethodResolveError: 'MethodNotFound' }));
}

function runNative(host: RunHost, action: FunctionCall, code: string): unknown {
  const run = contracts[code]?.methods[action.method] ?? contracts[code]?.views[action.method];
  if (run === undefined) throw noMethod();
  return guarded(() => run(callOf(host, action)));
}

function runCompiled(host: RunHost, action: FunctionCall, module: WebAssembly.Module): unknown {
  const { state, receipt } = host;
  const outcome = guarded(() =>
    runWasm(module, action.method, {
      account: receipt.receiverId,
      args: action.args,
      timestampNs: host.timestampNs,
      storage: byteStorage(state, receipt.receiverId),
      call: {
        predecessor: receipt.predecessorId,
        signer: receipt.signerId,
        deposit: action.deposit,
        gas: action.gas,
        results: host.inputs,
        log: (line) => void host.logs.push(line),
      },
    }),
  );
  if (outcome === undefined) throw noMethod();
  const { promises, returned, value } = outcome;
  const first = host.planned.length;
  for (const { receiverId, actions, after } of promises)
    plan(
      host,
      receiverId,
      actions,
      after.map((index) => first + index),
    );
  return returned === undefined ? value : new Promised(first + returned);
}

/** Runs a view method. Returns undefined if the method does not exist; throws a contract's panic message. */
export function runView(state: ReadState, { account, method, args, timestampNs }: ViewCall): Viewed {
  const code = findAccount(state, account)?.code ?? '';
  const module = wasmModule(code);
  if (module !== undefined) return viewCompiled(state, module, { account, method, args, timestampNs });
  const contract = contracts[code];
  const view = contract?.views[method];
  if (view === undefined) return { kind: contract?.methods[method] ? 'not-a-view' : 'no-method' };
  const storage = readStorage(state, account);
  const given: View = { account, args: readArgs(args), storage, timestampNs };
  return { kind: 'value', value: toBytes(guarded(() => view(given))) };
}

function viewCompiled(state: ReadState, module: WebAssembly.Module, request: ViewCall): Viewed {
  const { account, method, args, timestampNs } = request;
  const storage = readByteStorage(state, account);
  try {
    const outcome = guarded(() => runWasm(module, method, { account, args, timestampNs, storage, call: undefined }));
    return outcome === undefined ? { kind: 'no-method' } : { kind: 'value', value: outcome.value };
  } catch (error) {
    if (error instanceof ProhibitedInView) return { kind: 'not-a-view' };
    throw error;
  }
}

function guarded<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError)
      throw new ActionFailed(functionCallError({ ExecutionError: `WebAssembly trap: ${error.message}` }));
    const reply = error instanceof ContractPanic || error instanceof SyntaxError ? error.message : undefined;
    if (reply === undefined) throw error;
    throw new ActionFailed(functionCallError({ ExecutionError: `Smart contract panicked: ${reply}` }));
  }
}

function readArgs(bytes: Uint8Array): Args {
  if (bytes.length === 0) return {};
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    throw new ActionFailed(
      functionCallError({ ExecutionError: 'Smart contract panicked: Failed to deserialize input from JSON.' }),
    );
  }
}

function toBytes(value: unknown): Uint8Array {
  if (value === undefined) return new Uint8Array();
  return value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
}

const storageKey = (account: string, key: string) => `data/${account}/${key}`;

function readStorage(state: ReadState, account: string) {
  return { get: <Value>(key: string) => state.get(storageKey(account, key)) as Value | undefined };
}

function storageOf(state: WorldState, account: string): Storage {
  return { ...readStorage(state, account), set: (key, value) => state.set(storageKey(account, key), value) };
}

/** Records what a method requests from others, and deducts the deposit from the contract. */
function plan(
  { state, receipt, planned }: RunHost,
  receiverId: string,
  actions: readonly Action[],
  after: readonly number[] = [],
): Promised {
  const deposit = totalDeposit(actions);
  if ((findAccount(state, receipt.receiverId)?.amount ?? 0n) < deposit)
    throw new ActionFailed(functionCallError({ ExecutionError: 'Exceeded the account balance.' }));
  addBalance(state, receipt.receiverId, -deposit);
  planned.push({ receiverId, actions, after });
  return new Promised(planned.length - 1);
}

function callOf(host: RunHost, action: FunctionCall): Call {
  const { state, receipt } = host;
  const account = receipt.receiverId;
  const invoke = (method: string, args: Args, { deposit = 0n, teraGas }: { deposit?: bigint; teraGas: number }) => [
    { kind: 'FunctionCall', method, args: toBytes(args), gas: Math.floor(teraGas * tera), deposit } as const,
  ];
  return {
    account,
    args: readArgs(action.args),
    storage: storageOf(state, account),
    timestampNs: host.timestampNs,
    predecessor: receipt.predecessorId,
    signer: receipt.signerId,
    signerPublicKey: receipt.signerPublicKey,
    deposit: action.deposit,
    teraGas: action.gas / tera,
    results: host.inputs,
    log: (line) => void host.logs.push(line),
    call: (contract, method, args, options) => plan(host, contract, invoke(method, args, options)),
    callBack: (after, method, args, options) => plan(host, account, invoke(method, args, options), [after.index]),
    transfer: (to, amount) => plan(host, to, [{ kind: 'Transfer', deposit: amount }]),
    batch: (to, actions) => plan(host, to, actions),
  };
}
