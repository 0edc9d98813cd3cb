import type { AccessKey, Account } from './accounts.ts';
import type { Chain, Included } from './chain.ts';
import { gasPrice } from './gas.ts';
import type { Outcome, Receipt, Status } from './receipt.ts';
import type { Action, Permission, SignedTransaction } from './transaction.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function writePermission(permission: Permission): unknown {
  if (permission === 'FullAccess') return permission;
  const { allowance, receiverId, methodNames } = permission;
  return {
    FunctionCall: {
      allowance: allowance === null ? null : String(allowance),
      receiver_id: receiverId,
      method_names: methodNames,
    },
  };
}

export function writeAccessKey({ nonce, permission }: AccessKey): { nonce: number; permission: unknown } {
  return { nonce: Number(nonce), permission: writePermission(permission) };
}

export function writeAccount({ amount, codeHash, storageUsage, globalCodeOf }: Account): Record<string, unknown> {
  return {
    amount: String(amount),
    locked: '0',
    code_hash: codeHash,
    storage_usage: storageUsage,
    storage_paid_at: 0,
    ...(globalCodeOf !== undefined && { global_contract_account_id: globalCodeOf }),
  };
}

export function writeAction(action: Action): unknown {
  switch (action.kind) {
    case 'CreateAccount':
      return 'CreateAccount';
    case 'DeployContract':
      return { DeployContract: { code: base64(action.code) } };
    case 'FunctionCall': {
      const { method, args, gas, deposit } = action;
      return { FunctionCall: { method_name: method, args: base64(args), gas, deposit: String(deposit) } };
    }
    case 'Transfer':
      return { Transfer: { deposit: String(action.deposit) } };
    case 'Stake':
      return { Stake: { stake: String(action.stake), public_key: action.publicKey } };
    case 'AddKey': {
      const access_key = { nonce: Number(action.nonce), permission: writePermission(action.permission) };
      return { AddKey: { public_key: action.publicKey, access_key } };
    }
    case 'DeleteKey':
      return { DeleteKey: { public_key: action.publicKey } };
    case 'DeleteAccount':
      return { DeleteAccount: { beneficiary_id: action.beneficiaryId } };
    case 'UseGlobalContract':
      return action.accountId === undefined
        ? { UseGlobalContract: { code_hash: action.codeHash } }
        : { UseGlobalContractByAccountId: { account_id: action.accountId } };
  }
}

export function writeTransaction({ transaction, hash, signature }: SignedTransaction): Record<string, unknown> {
  return {
    signer_id: transaction.signerId,
    public_key: transaction.publicKey,
    nonce: Number(transaction.nonce),
    receiver_id: transaction.receiverId,
    actions: transaction.actions.map(writeAction),
    priority_fee: 0,
    signature,
    hash,
  };
}

export function writeReceipt(receipt: Receipt): Record<string, unknown> {
  return {
    predecessor_id: receipt.predecessorId,
    receiver_id: receipt.receiverId,
    receipt_id: receipt.id,
    receipt: receipt.kind === 'data' ? writeData(receipt) : writeActions(receipt),
    priority: 0,
  };
}

function writeData({ dataId, data }: Extract<Receipt, { kind: 'data' }>): unknown {
  return { Data: { data_id: dataId, data: data === null ? null : base64(data), is_promise_resume: false } };
}

function writeActions(receipt: Extract<Receipt, { kind: 'action' }>): unknown {
  return {
    Action: {
      signer_id: receipt.signerId,
      signer_public_key: receipt.signerPublicKey,
      gas_price: String(gasPrice),
      output_data_receivers: receipt.outputs.map(({ dataId, receiverId }) => ({
        data_id: dataId,
        receiver_id: receiverId,
      })),
      input_data_ids: receipt.inputDataIds,
      actions: receipt.actions.map(writeAction),
      is_promise_yield: false,
    },
  };
}

function writeStatus(status: Status): unknown {
  if (status.kind === 'value') return { SuccessValue: base64(status.value) };
  return status.kind === 'receipt' ? { SuccessReceiptId: status.id } : { Failure: status.failure };
}

export function writeOutcome(outcome: Outcome): Record<string, unknown> {
  return {
    id: outcome.id,
    block_hash: outcome.blockHash,
    proof: [],
    outcome: {
      logs: outcome.logs,
      receipt_ids: outcome.receiptIds,
      gas_burnt: outcome.gasBurnt,
      tokens_burnt: String(outcome.tokensBurnt),
      executor_id: outcome.executorId,
      status: writeStatus(outcome.status),
      metadata: { version: 3, gas_profile: [] },
    },
  };
}

/** Returns the final status of a transaction: the chain of results is followed from the first receipt. */
function finalStatus(chain: Chain, { outcome }: Included): unknown {
  let status = outcome.status;
  while (status.kind === 'receipt') {
    const next = chain.outcomes.get(status.id);
    if (next === undefined) return 'Started';
    status = next.status;
  }
  return writeStatus(status);
}

/** Returns the progress of a transaction, in the values that clients can wait for. */
export function progressOf(chain: Chain, included: Included): string {
  const heights = [included.outcome, ...included.executed.map((id) => chain.outcomes.get(id))].map(
    (outcome) => chain.blockOf(outcome?.blockHash ?? '')?.height ?? 0,
  );
  const isFinal = Math.max(...heights) <= chain.final.height;
  if (included.open === 0) return isFinal ? 'FINAL' : 'EXECUTED_OPTIMISTIC';
  return (heights[0] ?? 0) <= chain.final.height ? 'INCLUDED_FINAL' : 'INCLUDED';
}

export function writeExecution(chain: Chain, included: Included, hasReceipts: boolean): Record<string, unknown> {
  const outcomes = included.executed.flatMap((id) => chain.outcomes.get(id) ?? []);
  // Data receipts have no outcomes; they are listed where receipts are requested.
  const ids = outcomes.flatMap(({ id, receiptIds }) => [id, ...receiptIds]);
  const receipts = [...new Set(ids)].flatMap((id) => chain.receipts.get(id) ?? []);
  return {
    status: finalStatus(chain, included),
    transaction: writeTransaction(included.signed),
    transaction_outcome: writeOutcome(included.outcome),
    receipts_outcome: outcomes.map(writeOutcome),
    ...(hasReceipts && { receipts: receipts.map(writeReceipt) }),
    final_execution_status: progressOf(chain, included),
  };
}
