import { addBalance, findKey, updateKey } from './accounts.ts';
import { changeAccount, createAccount, requireAccount, transfer } from './change-account.ts';
import { Promised } from './contracts/contract.ts';
import { attachedGas, costOf, feeOf, gasOfMethod } from './gas.ts';
import { hashOf, idFrom } from './hashes.ts';
import {
  ActionFailed,
  type ActionReceipt,
  type DataReceipt,
  type Failure,
  type Receipt,
  type Status,
} from './receipt.ts';
import { type Planned, type RunHost, runMethod } from './run-method.ts';
import { type Action, totalDeposit } from './transaction.ts';
import type { WorldState } from './world-state.ts';

export interface Executed {
  status: Status;
  logs: readonly string[];
  gasBurnt: number;
  receipts: readonly Receipt[];
}

export interface ExecuteOptions {
  state: WorldState;
  height: number;
  timestampNs: bigint;
  inputs: readonly (Uint8Array | undefined)[];
}

interface Progress {
  host: RunHost;
  gasBurnt: number;
  gasUsed: number;
  value: Uint8Array | Promised;
}

/** Executes a receipt: all of its actions, or none. */
export function executeReceipt(receipt: ActionReceipt, options: ExecuteOptions): Executed {
  const { state, timestampNs, inputs } = options;
  const mark = state.mark();
  const host: RunHost = { state, receipt, inputs, timestampNs, logs: [], planned: [] };
  const progress: Progress = { host, gasBurnt: receipt.fee, gasUsed: 0, value: new Uint8Array() };
  let at = 0;
  try {
    for (const [index, action] of receipt.actions.entries()) {
      at = index;
      applyAction(progress, action, options);
    }
    refundGas(state, receipt, attachedGas(receipt.actions) - progress.gasUsed);
    const { gasBurnt, value } = progress;
    return { ...conclude(receipt, host.planned, value, options.height), logs: host.logs, gasBurnt };
  } catch (error) {
    if (!(error instanceof ActionFailed)) throw error;
    state.undoTo(mark);
    return fail(receipt, { index: at, kind: error.failure }, { options, host });
  }
}

function fail(
  receipt: ActionReceipt,
  error: Failure,
  { options, host }: { options: ExecuteOptions; host: RunHost },
): Executed {
  const attached = attachedGas(receipt.actions);
  const burnt = Math.min(attached, attached > 0 ? gasOfMethod : 0);
  refundGas(options.state, receipt, attached - burnt);
  return {
    status: { kind: 'failure', failure: { ActionError: error } },
    logs: host.logs,
    gasBurnt: receipt.fee + burnt,
    receipts: [...refund(receipt, options.height), ...dataFor(receipt, null, options.height)],
  };
}

/** Unused gas is refunded to the signer, and to the allowance of the key. */
function refundGas(state: WorldState, { signerId, signerPublicKey }: ActionReceipt, gas: number): void {
  if (gas <= 0) return;
  addBalance(state, signerId, costOf(gas));
  const key = findKey(state, signerId, signerPublicKey);
  if (key === undefined || key.permission === 'FullAccess' || key.permission.allowance === null) return;
  const allowance = key.permission.allowance + costOf(gas);
  updateKey(state, signerId, signerPublicKey, { ...key, permission: { ...key.permission, allowance } });
}

/** The deposit of a failed receipt goes back to its sender. */
function refund(receipt: ActionReceipt, height: number): Receipt[] {
  const deposit = totalDeposit(receipt.actions);
  if (deposit === 0n || receipt.predecessorId === 'system') return [];
  const actions: Action[] = [{ kind: 'Transfer', deposit }];
  return [
    {
      ...receipt,
      id: idFrom(receipt.id, height, 1_000_000),
      predecessorId: 'system',
      receiverId: receipt.predecessorId,
      actions,
      inputDataIds: [],
      outputs: [],
      // Refunds are free: their gas was paid for with the failed receipt.
      fee: 0,
    },
  ];
}

function dataFor(receipt: ActionReceipt, data: Uint8Array | null, height: number): DataReceipt[] {
  return receipt.outputs.map(({ dataId, receiverId }, index) => ({
    kind: 'data',
    id: idFrom(dataId, height, index),
    transactionHash: receipt.transactionHash,
    predecessorId: receipt.receiverId,
    receiverId,
    dataId,
    data,
  }));
}

/** Creates receipts from promises: dependencies between them are named by the data that passes between them. */
function conclude(
  receipt: ActionReceipt,
  planned: readonly Planned[],
  value: Uint8Array | Promised,
  height: number,
): Pick<Executed, 'status' | 'receipts'> {
  const dataId = (from: number, to: number) => hashOf(receipt.id, `data/${height}/${from}/${to}`);
  const made = planned.map(({ receiverId, actions, after }, index): ActionReceipt => {
    const waiting = planned.flatMap((other, to) =>
      other.after.includes(index) ? [{ dataId: dataId(index, to), receiverId: other.receiverId }] : [],
    );
    const isResult = value instanceof Promised && value.index === index;
    return {
      ...receipt,
      id: idFrom(receipt.id, height, index),
      predecessorId: receipt.receiverId,
      receiverId,
      actions,
      inputDataIds: after.map((from) => dataId(from, index)),
      outputs: isResult ? [...waiting, ...receipt.outputs] : waiting,
      fee: feeOf(actions),
    };
  });
  if (value instanceof Promised) {
    const result = made[value.index];
    if (result === undefined) throw new Error('A method returned a promise that it did not create.');
    return { status: { kind: 'receipt', id: result.id }, receipts: made };
  }
  return { status: { kind: 'value', value }, receipts: [...made, ...dataFor(receipt, value, height)] };
}

function applyAction(progress: Progress, action: Action, { height }: ExecuteOptions): void {
  const { state, receipt } = progress.host;
  const id = receipt.receiverId;
  if (action.kind === 'CreateAccount') return void createAccount(state, receipt);
  if (action.kind === 'Transfer') return void transfer(state, receipt, action.deposit, height);
  const account = requireAccount(state, id);
  if (action.kind === 'FunctionCall') {
    addBalance(state, id, action.deposit);
    const { value, gasBurnt, gasUsed } = runMethod(progress.host, action);
    progress.value = value;
    progress.gasBurnt += gasBurnt;
    progress.gasUsed += gasUsed;
    return;
  }
  if (receipt.predecessorId !== id && !isNew(progress))
    throw new ActionFailed({ ActorNoPermission: { account_id: id, actor_id: receipt.predecessorId } });
  changeAccount(state, { id, account, action, height });
}

/** The creator of an account may set it up in the same receipt. */
function isNew({ host }: Progress): boolean {
  return host.receipt.actions[0]?.kind === 'CreateAccount';
}
