import { isAccountId } from './account-id.ts';
import { findAccount, findKey } from './accounts.ts';
import { attachedGas, costOf, feeOf, maxPrepaidGas } from './gas.ts';
import type { Failure } from './receipt.ts';
import { type Action, type Permission, type Transaction, totalDeposit } from './transaction.ts';
import type { WorldState } from './world-state.ts';

/** Returns what a transaction costs its signer in advance: fees, attached gas and deposits. */
export function costOfTransaction({ actions }: Transaction): { gas: bigint; total: bigint } {
  const gas = costOf(2 * feeOf(actions) + attachedGas(actions));
  return { gas, total: gas + totalDeposit(actions) };
}

/** Returns why a node would reject a transaction, with nearcore's name; undefined if it would accept it. */
export function findInvalid(state: WorldState, transaction: Transaction, height: number): Failure | string | undefined {
  const { signerId, receiverId, publicKey, nonce, actions } = transaction;
  if (!isAccountId(signerId)) return { InvalidSignerId: { signer_id: signerId } };
  if (!isAccountId(receiverId)) return { InvalidReceiverId: { receiver_id: receiverId } };
  const account = findAccount(state, signerId);
  if (account === undefined) return { SignerDoesNotExist: { signer_id: signerId } };
  const key = findKey(state, signerId, publicKey);
  if (key === undefined)
    return { InvalidAccessKeyError: { AccessKeyNotFound: { account_id: signerId, public_key: publicKey } } };
  if (nonce <= key.nonce) return { InvalidNonce: { tx_nonce: Number(nonce), ak_nonce: Number(key.nonce) } };
  const upper = BigInt(height) * 1_000_000n;
  if (nonce >= upper) return { NonceTooLarge: { tx_nonce: Number(nonce), upper_bound: Number(upper) } };
  const malformed = findMalformed(actions);
  if (malformed !== undefined) return { ActionsValidation: malformed };
  const cost = costOfTransaction(transaction);
  if (account.amount < cost.total)
    return {
      NotEnoughBalance: { signer_id: signerId, balance: String(account.amount), cost: String(cost.total) },
    };
  const refused = findRefused(key.permission, transaction, cost.gas);
  return refused === undefined ? undefined : { InvalidAccessKeyError: refused };
}

function findMalformed(actions: readonly Action[]): Failure | string | undefined {
  if (actions.length > 100)
    return { TotalNumberOfActionsExceeded: { total_number_of_actions: actions.length, limit: 100 } };
  if (actions.some((action) => action.kind === 'FunctionCall' && action.gas === 0))
    return 'FunctionCallZeroAttachedGas';
  const gas = attachedGas(actions);
  if (gas > maxPrepaidGas) return { TotalPrepaidGasExceeded: { total_prepaid_gas: gas, limit: maxPrepaidGas } };
  const deletion = actions.findIndex((action) => action.kind === 'DeleteAccount');
  return deletion !== -1 && deletion !== actions.length - 1 ? 'DeleteActionMustBeFinal' : undefined;
}

/** Returns why a function-call key does not allow a transaction. */
function findRefused(
  permission: Permission,
  { signerId, publicKey, receiverId, actions }: Transaction,
  cost: bigint,
): Failure | string | undefined {
  if (permission === 'FullAccess') return undefined;
  const [action] = actions;
  if (actions.length !== 1 || action?.kind !== 'FunctionCall') return 'RequiresFullAccess';
  if (action.deposit > 0n) return 'DepositWithFunctionCall';
  if (permission.receiverId !== receiverId)
    return { ReceiverMismatch: { tx_receiver: receiverId, ak_receiver: permission.receiverId } };
  if (permission.methodNames.length > 0 && !permission.methodNames.includes(action.method))
    return { MethodNameMismatch: { method_name: action.method } };
  if (permission.allowance !== null && permission.allowance < cost)
    return {
      NotEnoughAllowance: {
        account_id: signerId,
        public_key: publicKey,
        allowance: String(permission.allowance),
        cost: String(cost),
      },
    };
  return undefined;
}
