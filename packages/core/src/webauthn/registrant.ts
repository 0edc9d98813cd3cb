import { type Actor, AppError, isScope, refuse, type Scope, scopes } from '@latchkey/kernel';

export type User = Extract<Actor, { kind: 'user' }>;

/** The signed-in user, if their session may add passkeys. */
export function getRegistrant(actor: Actor): User {
  if (actor.kind !== 'user') throw new AppError('ROLE_NOT_ALLOWED', 'A passkey belongs to a user: sign in as one.');
  // A passkey outlives the session that adds it, so that not every token may do so.
  const refusal = refuse({ roles: [], scopes: ['user:webauthn-credential:write'] }, actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  return actor;
}

/**
 * What signing in with a new passkey may do: what the session that adds it may do, and no more. Otherwise an application
 * that was trusted with a few scopes could register a passkey of its own and come back with all of them.
 */
export function scopesOf(user: User): string[] {
  const { client } = user;
  const isUnbound =
    client === undefined || ((client.allowedScopes?.includes('$all') ?? true) && client.disallowedScopes.length === 0);
  if (isUnbound) return [...user.scopes];
  const isOpen = (scope: Scope) => refuse({ roles: [], scopes: [scope] }, user) === undefined;
  return Object.keys(scopes)
    .filter(isScope)
    .filter((scope) => !scope.startsWith('$') && isOpen(scope));
}
