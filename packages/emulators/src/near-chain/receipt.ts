import type { Action } from './transaction.ts';

export interface DataReceiver {
  dataId: string;
  receiverId: string;
}

/** Work for an account: it waits for its inputs, runs, and passes its result to the receipts that wait for it. */
export interface ActionReceipt {
  kind: 'action';
  id: string;
  transactionHash: string;
  predecessorId: string;
  receiverId: string;
  signerId: string;
  signerPublicKey: string;
  actions: readonly Action[];
  inputDataIds: readonly string[];
  outputs: readonly DataReceiver[];
  /** Already paid: the gas of the execution besides running methods. */
  fee: number;
}

/** A result for a receipt that waits for it; null if there is none. */
export interface DataReceipt {
  kind: 'data';
  id: string;
  transactionHash: string;
  predecessorId: string;
  receiverId: string;
  dataId: string;
  data: Uint8Array | null;
}

export type Receipt = ActionReceipt | DataReceipt;

/** The name of a failure in outcomes, as in nearcore. */
export type Failure = Readonly<Record<string, unknown>>;

export type Status =
  | { kind: 'value'; value: Uint8Array }
  | { kind: 'receipt'; id: string }
  | { kind: 'failure'; failure: Failure };

export interface Outcome {
  id: string;
  blockHash: string;
  executorId: string;
  gasBurnt: number;
  tokensBurnt: bigint;
  logs: readonly string[];
  receiptIds: readonly string[];
  status: Status;
}

/** An action that failed. Rolls back the whole receipt. */
export class ActionFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(Object.keys(failure)[0] ?? 'ActionFailed');
    this.failure = failure;
  }
}
