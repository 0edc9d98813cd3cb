import { AppError } from '@latchkey/kernel';

export function hashesOff(): AppError {
  return new AppError(
    'STATE_CONFLICT',
    'This server signs no bare hash, since nobody can see what it stands for. Send the message or the typed data itself.',
  );
}

export function stepUpNeeded(): AppError {
  return new AppError(
    'INVALID_OTP',
    'Typed data, bare hashes and messages that link this wallet are signed only with a one-time password or a passkey, in otp.',
  );
}

export function logsInHere(): AppError {
  return new AppError(
    'STATE_CONFLICT',
    'This text could log somebody in to this server as you, so hosted wallets do not sign it. Sign in with your chat account or a passkey.',
  );
}

export function linksElsewhere(): AppError {
  return new AppError(
    'STATE_CONFLICT',
    'This message links the wallet to another account. A hosted wallet can be linked only to the account it belongs to.',
  );
}

export function unreadable(isTransaction: boolean): AppError {
  return malformed(
    'unreadable',
    isTransaction
      ? 'This is a transaction. Hosted wallets sign messages and typed data only.'
      : 'These are bytes that nobody can read before signing. Send a text, typed data as JSON, or a hash of 32 bytes.',
  );
}

export function notTypedData(): AppError {
  return malformed(
    'typed-data',
    'This is no whole typed data (EIP-712). Send domain, types with EIP712Domain, primaryType and message, with no other members, as JSON.stringify writes them.',
  );
}

function malformed(code: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/message', code, message }] });
}
