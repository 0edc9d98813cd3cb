import { type Actor, AppError, refuse } from '@latchkey/kernel';

export type User = Extract<Actor, { kind: 'user' }>;

/** Returns the signed-in user, if their session may add passkeys. */
export function getRegistrant(actor: Actor): User {
  if (actor.kind !== 'user') throw new AppError('ROLE_NOT_ALLOWED', 'A passkey belongs to a user: sign in as a user.');
  // A passkey outlives the session that adds it, so not every token may add one.
  const refusal = refuse({ roles: [], scopes: ['user:webauthn-credential:write'] }, actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  return actor;
}

/** An operator who impersonates a user must not leave a login method behind. */
export function refuseImpersonation({ credential }: User): void {
  if (credential === 'operator-token')
    throw new AppError(
      'ROLE_NOT_ALLOWED',
      'Only users can add their own passkeys; the operator cannot add one for them.',
    );
}
