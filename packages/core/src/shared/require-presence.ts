import { AppError, freshPresenceSeconds, isFresh } from '@latchkey/kernel';
import type { Context } from './context.ts';

/** Throws unless the person has just signed in: for actions that a stolen session must not allow. */
export function requirePresence({ actor, clock }: Pick<Context, 'actor' | 'clock'>): void {
  if (actor.kind === 'user' && isFresh(actor.presence, clock())) return;
  throw new AppError(
    'PRESENCE_REQUIRED',
    `Sign in again first: this requires a sign-in with a wallet, passkey or chat account within the last ${freshPresenceSeconds / 60} minutes.`,
  );
}
