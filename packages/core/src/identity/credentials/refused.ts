import { AppError } from '@latchkey/kernel';

const remedies = {
  'AE token': 'Sign in again to get a new one.',
  'access token': 'Ask the token endpoint for a new one.',
  'API key': 'Check it for typos, or ask the operator for a new one.',
  'console session': 'Sign in again.',
  'Ethereum signature': 'Sign a new request with a wallet that is linked to your account.',
} as const;

/** One error for everything that can be wrong with a kind of credential, so that an attacker learns nothing from it. */
export function refusedCredential(kind: keyof typeof remedies): AppError {
  return new AppError('INVALID_CREDENTIAL', `The ${kind} is malformed, unknown, expired or revoked. ${remedies[kind]}`);
}
