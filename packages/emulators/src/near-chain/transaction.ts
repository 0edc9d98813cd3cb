/** What a key may do: everything, or call some methods of one contract without a deposit. */
export type Permission =
  | 'FullAccess'
  | { allowance: bigint | null; receiverId: string; methodNames: readonly string[] };

export type Action =
  | { kind: 'CreateAccount' }
  | { kind: 'DeployContract'; code: Uint8Array }
  | { kind: 'FunctionCall'; method: string; args: Uint8Array; gas: number; deposit: bigint }
  | { kind: 'Transfer'; deposit: bigint }
  | { kind: 'Stake'; stake: bigint; publicKey: string }
  | { kind: 'AddKey'; publicKey: string; nonce: bigint; permission: Permission }
  | { kind: 'DeleteKey'; publicKey: string }
  | { kind: 'DeleteAccount'; beneficiaryId: string }
  | { kind: 'UseGlobalContract'; codeHash: string | undefined; accountId: string | undefined };

export interface Transaction {
  signerId: string;
  publicKey: string;
  nonce: bigint;
  receiverId: string;
  blockHash: string;
  actions: readonly Action[];
}

export interface SignedTransaction {
  transaction: Transaction;
  /** The transaction id: the hash of everything except the signature. */
  hash: string;
  /** In text form: the curve and base58. */
  signature: string;
}

export function depositOf(action: Action): bigint {
  return action.kind === 'FunctionCall' || action.kind === 'Transfer' ? action.deposit : 0n;
}

/** Returns the total deposit of actions. */
export function totalDeposit(actions: readonly Action[]): bigint {
  return actions.reduce((sum, action) => sum + depositOf(action), 0n);
}
