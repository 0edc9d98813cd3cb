import { type Access, type Actor, AppError, refuse, type Scope } from '@latchkey/kernel';

export type Person = Extract<Actor, { kind: 'user' }>;

/** Only for users: a wallet belongs to its user, and not even the operator can use it on their behalf. */
export function person(...scopes: Scope[]): Access {
  return { roles: ['$user_account'], scopes };
}

export function getPerson(actor: Actor): Person {
  if (actor.kind !== 'user')
    throw new AppError('ROLE_NOT_ALLOWED', 'A hosted wallet belongs to a user: sign in as a user.');
  return actor;
}

/** A user from Telegram. The published API requires no scope there, but not every token may see or create a wallet. */
export function getTelegramPerson(actor: Actor, scope: Scope): Person {
  const found = getPerson(actor);
  if (found.platform !== 'telegram')
    throw new AppError(
      'ROLE_NOT_ALLOWED',
      'This is for people who signed in with Telegram. Use /users/me/pkp instead.',
    );
  const refusal = refuse({ roles: [], scopes: [scope] }, found);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  return found;
}
