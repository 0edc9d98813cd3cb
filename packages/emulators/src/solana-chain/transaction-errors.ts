import type { FailedTransactionMetadata } from 'litesvm';

// By their numbers in the virtual machine, and as nodes write them.
const transactionErrors =
  'AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure'.split(
    ' ',
  );
const instructionErrors =
  'GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys'.split(
    ' ',
  );

/** Why a transaction failed, as nodes say it. */
export type TransactionError = string | { InstructionError: [index: number, error: string | { Custom: number }] };

export function readTransactionError(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (typeof error === 'number') return transactionErrors[error] ?? 'SanitizeFailure';
  if (!('err' in error)) return 'InsufficientFundsForRent';
  const inner = error.err();
  if (typeof inner === 'number') return { InstructionError: [error.index, instructionErrors[inner] ?? 'GenericError'] };
  return { InstructionError: [error.index, 'code' in inner ? { Custom: inner.code } : 'BorshIoError'] };
}
