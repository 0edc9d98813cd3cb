import { addBalance, findAccount } from './accounts.ts';
import { type Args, type Call, ContractPanic, Promised, type Storage, type View } from './contracts/contract.ts';
import { contracts } from './contracts/index.ts';
import { attachedGas, feeOf, gasOfMethod } from './gas.ts';
import { ActionFailed, type ActionReceipt, type Failure } from './receipt.ts';
import { type Action, totalDeposit } from './transaction.ts';
import type { ReadState, WorldState } from './world-state.ts';

/** A receipt that a method asked for. */
export interface Planned {
  receiverId: string;
  actions: readonly Action[];
  after: readonly number[];
}

export interface MethodRun {
  value: Uint8Array | Promised;
  gasBurnt: number;
  /** Burnt, or handed on to what was asked for. */
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

const tera = 1_000_000_000_000;

function functionCallError(failure: unknown): Failure {
  return { FunctionCallError: failure };
}

/** Runs a method of a contract. Whatever it cannot do undoes the receipt. */
export function runMethod(host: RunHost, action: Extract<Action, { kind: 'FunctionCall' }>): MethodRun {
  const { state, receipt } = host;
  const code = findAccount(state, receipt.receiverId)?.code;
  if (code === undefined)
    throw new ActionFailed(
      functionCallError({ CompilationError: { CodeDoesNotExist: { account_id: receipt.receiverId } } }),
    );
  const run = contracts[code]?.methods[action.method] ?? contracts[code]?.views[action.method];
  if (run === undefined) throw new ActionFailed(functionCallError({ MethodResolveError: 'MethodNotFound' }));
  const plannedBefore = host.planned.length;
  const answer = guarded(() => run(callOf(host, action)));
  const made = host.planned.slice(plannedBefore);
  const sending = made.reduce((sum, { actions }) => sum + feeOf(actions), 0);
  const handedOn = made.reduce((sum, { actions }) => sum + feeOf(actions) + attachedGas(actions), 0);
  const gasBurnt = gasOfMethod + sending;
  if (gasBurnt + handedOn > action.gas)
    throw new ActionFailed(functionCallError({ ExecutionError: 'Exceeded the prepaid gas.' }));
  return { value: answer instanceof Promised ? answer : toBytes(answer), gasBurnt, gasUsed: gasBurnt + handedOn };
}

/** Runs a view method. Undefined when there is no such method; what a contract says when it gives up is thrown. */
export function runView(
  state: ReadState,
  { account, method, args, timestampNs }: { account: string; method: string; args: Uint8Array; timestampNs: bigint },
): { kind: 'value'; value: Uint8Array } | { kind: 'no-method' | 'not-a-view' } {
  const contract = contracts[findAccount(state, account)?.code ?? ''];
  const view = contract?.views[method];
  if (view === undefined) return { kind: contract?.methods[method] ? 'not-a-view' : 'no-method' };
  const storage = readStorage(state, account);
  const given: View = { account, args: readArgs(args), storage, timestampNs };
  return { kind: 'value', value: toBytes(guarded(() => view(given))) };
}

function guarded(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    const said = error instanceof ContractPanic || error instanceof SyntaxError ? error.message : undefined;
    if (said === undefined) throw error;
    throw new ActionFailed(functionCallError({ ExecutionError: `Smart contract panicked: ${said}` }));
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

function callOf(host: RunHost, action: Extract<Action, { kind: 'FunctionCall' }>): Call {
  const { state, receipt, planned } = host;
  const account = receipt.receiverId;
  const plan = (receiverId: string, actions: readonly Action[], after: readonly number[] = []) => {
    const deposit = totalDeposit(actions);
    if ((findAccount(state, account)?.amount ?? 0n) < deposit)
      throw new ActionFailed(functionCallError({ ExecutionError: 'Exceeded the account balance.' }));
    addBalance(state, account, -deposit);
    planned.push({ receiverId, actions, after });
    return new Promised(planned.length - 1);
  };
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
    call: (contract, method, args, options) => plan(contract, invoke(method, args, options)),
    callBack: (after, method, args, options) => plan(account, invoke(method, args, options), [after.index]),
    transfer: (to, amount) => plan(to, [{ kind: 'Transfer', deposit: amount }]),
    batch: (to, actions) => plan(to, actions),
  };
}
