import { isImplicit, parentOf } from './account-id.ts';
import {
  type Account,
  addBalance,
  findAccount,
  findKey,
  newAccount,
  putAccount,
  putKey,
  updateAccount,
} from './accounts.ts';
import { codeOf, hashOfCode } from './codes.ts';
import { writeKey } from './keys.ts';
import { ActionFailed, type ActionReceipt } from './receipt.ts';
import type { Action } from './transaction.ts';
import type { WorldState } from './world-state.ts';

type OwnAction = Exclude<Action, { kind: 'CreateAccount' | 'Transfer' | 'FunctionCall' }>;

/** Applies changes that only the account itself, or its creator, may make. */
export function changeAccount(
  state: WorldState,
  { id, account, action, height }: { id: string; account: Account; action: OwnAction; height: number },
): void {
  switch (action.kind) {
    case 'AddKey': {
      const { publicKey, permission } = action;
      if (findKey(state, id, publicKey) !== undefined)
        throw new ActionFailed({ AddKeyAlreadyExists: { account_id: id, public_key: publicKey } });
      putKey(state, id, publicKey, { nonce: firstNonce(height), permission });
      break;
    }
    case 'DeleteKey':
      if (findKey(state, id, action.publicKey) === undefined)
        throw new ActionFailed({ DeleteKeyDoesNotExist: { account_id: id, public_key: action.publicKey } });
      putKey(state, id, action.publicKey, undefined);
      break;
    case 'DeployContract':
      updateAccount(state, id, { code: codeOf(action.code), codeHash: hashOfCode(action.code) });
      break;
    case 'UseGlobalContract':
      useGlobal(state, id, action);
      break;
    case 'DeleteAccount':
      for (const key of account.keys) putKey(state, id, key, undefined);
      if (findAccount(state, action.beneficiaryId) !== undefined)
        addBalance(state, action.beneficiaryId, account.amount);
      else throw new ActionFailed({ AccountDoesNotExist: { account_id: action.beneficiaryId } });
      putAccount(state, id, undefined);
      break;
    case 'Stake':
      throw new ActionFailed({
        InsufficientStake: { account_id: id, minimum_stake: '1', stake: String(action.stake) },
      });
  }
}

function useGlobal(
  state: WorldState,
  id: string,
  { accountId, codeHash }: Extract<Action, { kind: 'UseGlobalContract' }>,
): void {
  const source = accountId === undefined ? undefined : findAccount(state, accountId);
  const code = codeHash === undefined ? source?.code : codeOf(codeHash);
  if (code === undefined) {
    const identifier = accountId === undefined ? { CodeHash: codeHash } : { AccountId: accountId };
    throw new ActionFailed({ GlobalContractDoesNotExist: { identifier } });
  }
  updateAccount(state, id, { code, globalCodeOf: accountId, codeHash: codeHash ?? source?.codeHash ?? '' });
}

/** Nonces of new keys start high, so that transactions of an earlier use of the same key cannot be replayed. */
export function firstNonce(height: number): bigint {
  return BigInt(height - 1) * 1_000_000n;
}

export function createAccount(state: WorldState, { receiverId, predecessorId }: ActionReceipt): void {
  if (findAccount(state, receiverId) !== undefined)
    throw new ActionFailed({ AccountAlreadyExists: { account_id: receiverId } });
  if (isImplicit(receiverId))
    throw new ActionFailed({ OnlyImplicitAccountCreationAllowed: { account_id: receiverId } });
  const parent = parentOf(receiverId);
  if (parent === undefined && receiverId.length < 32)
    throw new ActionFailed({
      CreateAccountOnlyByRegistrar: {
        account_id: receiverId,
        predecessor_id: predecessorId,
        registrar_account_id: 'registrar',
      },
    });
  if (parent !== undefined && parent !== predecessorId)
    throw new ActionFailed({ CreateAccountNotAllowed: { account_id: receiverId, predecessor_id: predecessorId } });
  putAccount(state, receiverId, newAccount());
}

export function transfer(
  state: WorldState,
  { receiverId, predecessorId }: ActionReceipt,
  deposit: bigint,
  height: number,
): void {
  if (findAccount(state, receiverId) === undefined) {
    if (!isImplicit(receiverId) || predecessorId === 'system')
      throw new ActionFailed({ AccountDoesNotExist: { account_id: receiverId } });
    putAccount(state, receiverId, newAccount());
    const key = writeKey('ed25519', Buffer.from(receiverId, 'hex'));
    putKey(state, receiverId, key, { nonce: firstNonce(height), permission: 'FullAccess' });
  }
  addBalance(state, receiverId, deposit);
}

export function requireAccount(state: WorldState, accountId: string): Account {
  const account = findAccount(state, accountId);
  if (account === undefined) throw new ActionFailed({ AccountDoesNotExist: { account_id: accountId } });
  return account;
}
