import { noHash } from './hashes.ts';
import type { Permission } from './transaction.ts';
import type { ReadState, WorldState } from './world-state.ts';

export interface Account {
  amount: bigint;
  /** The name of the contract that runs here, which determines the hash of its code. */
  code: string | undefined;
  codeHash: string;
  /** The account whose global contract is used. */
  globalCodeOf: string | undefined;
  storageUsage: number;
  keys: readonly string[];
}

export interface AccessKey {
  nonce: bigint;
  permission: Permission;
}

const accountKey = (id: string) => `account/${id}`;
const accessKey = (id: string, key: string) => `key/${id}/${key}`;

export function findAccount(state: ReadState, id: string): Account | undefined {
  return state.get(accountKey(id)) as Account | undefined;
}

export function findKey(state: ReadState, id: string, key: string): AccessKey | undefined {
  return state.get(accessKey(id, key)) as AccessKey | undefined;
}

export function newAccount(amount = 0n): Account {
  return { amount, code: undefined, codeHash: noHash, globalCodeOf: undefined, storageUsage: 182, keys: [] };
}

export function putAccount(state: WorldState, id: string, account: Account | undefined): void {
  state.set(accountKey(id), account);
}

export function updateAccount(state: WorldState, id: string, change: Partial<Account>): void {
  const account = findAccount(state, id);
  if (account !== undefined) putAccount(state, id, { ...account, ...change });
}

/** Adds to the balance of an account, or subtracts from it. */
export function addBalance(state: WorldState, id: string, amount: bigint): void {
  const account = findAccount(state, id);
  if (account !== undefined) putAccount(state, id, { ...account, amount: account.amount + amount });
}

export function putKey(state: WorldState, id: string, key: string, access: AccessKey | undefined): void {
  const account = findAccount(state, id);
  if (account === undefined) return;
  const others = account.keys.filter((known) => known !== key);
  if (access === undefined || others.length === account.keys.length)
    putAccount(state, id, { ...account, keys: access === undefined ? others : [...account.keys, key] });
  state.set(accessKey(id, key), access);
}

/** Changes an existing key. */
export function updateKey(state: WorldState, id: string, key: string, access: AccessKey): void {
  state.set(accessKey(id, key), access);
}

export function totalBalance(state: WorldState): bigint {
  return state.under('account/').reduce((sum, [, value]) => sum + (value as Account).amount, 0n);
}
