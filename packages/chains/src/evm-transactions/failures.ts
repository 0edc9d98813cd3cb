import { BaseError, ExecutionRevertedError, InsufficientFundsError } from 'viem';

/** Whether a node already has a transaction, which counts as sent. Each node words this differently. */
export function isKnownAlready(error: unknown): boolean {
  return error instanceof BaseError && /already known|already imported|known transaction/i.test(error.details);
}

/** Whether the sender cannot pay for a transaction. */
export function lacksMoney(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    (error.walk((cause) => cause instanceof InsufficientFundsError) !== null ||
      /(insufficient|enough) funds/i.test(error.details))
  );
}

/** Whether the chain ran a call, and the call failed. */
export function isRevert(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    (error.walk((cause) => cause instanceof ExecutionRevertedError) !== null || /revert/i.test(error.details))
  );
}
