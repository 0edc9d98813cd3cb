import {
  type Address,
  address,
  type EncodedAccount,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { readTransactionError, type TransactionError } from './transaction-errors.ts';

export interface SignatureStatus {
  slot: number;
  err: TransactionError | null;
}

export type Sent = { signature: string } | { error: TransactionError; logs: readonly string[] };

// Nodes take transactions that name one of so many newest blocks.
const maxBlockhashAge = 150;

/** A ledger in memory on Solana's virtual machine. Each transaction that is taken makes a slot of its own. */
export class Ledger {
  readonly #svm = new LiteSVM().withBlockhashCheck(false);
  readonly #statuses = new Map<string, SignatureStatus>();
  #blockhashes: string[] = [];

  constructor() {
    this.#svm.warpToSlot(1n);
    this.#blockhashes = [this.#svm.latestBlockhash()];
  }

  get slot(): number {
    return Number(this.#svm.getClock().slot);
  }

  /** The newest block, and the last slot in which transactions may name it. */
  get latestBlockhash(): { blockhash: string; lastValidBlockHeight: number } {
    return { blockhash: this.#svm.latestBlockhash(), lastValidBlockHeight: this.slot + maxBlockhashAge };
  }

  findAccount(key: string): EncodedAccount | undefined {
    const account = this.#svm.getAccount(address(key));
    return account.exists && account.lamports > 0n ? account : undefined;
  }

  accountsOf(program: Address): readonly EncodedAccount[] {
    return this.#svm.getProgramAccounts(program);
  }

  statusOf(signature: string): SignatureStatus | undefined {
    return this.#statuses.get(signature);
  }

  rentOf(bytes: number): number {
    return Number(this.#svm.minimumBalanceForRentExemption(BigInt(bytes)));
  }

  /** Writes an account as it is, past every program: for what the machine has no program to make. */
  putAccount(account: EncodedAccount): void {
    this.#svm.setAccount(account);
    this.nextSlot();
  }

  airdrop(to: string, amount: bigint): Sent {
    return this.#record(() => this.#svm.airdrop(address(to), lamports(amount)));
  }

  send(bytes: Uint8Array): Sent {
    const transaction = getTransactionDecoder().decode(bytes);
    const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    if (!this.#blockhashes.includes(lifetimeToken)) return { error: 'BlockhashNotFound', logs: [] };
    return this.#record(() => this.#svm.sendTransaction(transaction));
  }

  nextSlot(): void {
    this.#svm.warpToSlot(BigInt(this.slot) + 1n);
    this.#svm.expireBlockhash();
    this.#blockhashes = [this.#svm.latestBlockhash(), ...this.#blockhashes].slice(0, maxBlockhashAge);
  }

  #record(run: () => ReturnType<LiteSVM['airdrop']>): Sent {
    const result = run();
    if (result === null) return { error: 'SanitizeFailure', logs: [] };
    if (result instanceof FailedTransactionMetadata) {
      return { error: readTransactionError(result), logs: result.meta().logs() };
    }
    const signature = getBase58Decoder().decode(result.signature());
    this.nextSlot();
    this.#statuses.set(signature, { slot: this.slot, err: null });
    return { signature };
  }
}
