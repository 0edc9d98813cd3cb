import type { Action } from './transaction.ts';

export interface DataReceiver {
  dataId: string;
  receiverId: string;
}

/** Work for an account: it waits for its inputs, runs, and hands its result to those who wait for it. */
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
  /** Paid for already: what the execution burns besides the runs of methods. */
  fee: number;
}

/** A result for a receipt that waits for it; null when there is none. */
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

/** What a failure is called in outcomes, in the words of nearcore. */
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

/** An action that cannot be done. Undoes the whole receipt. */
export class ActionFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(Object.keys(failure)[0] ?? 'ActionFailed');
    this.failure = failure;
  }
}
