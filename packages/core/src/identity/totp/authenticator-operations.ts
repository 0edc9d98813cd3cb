import {
  AppError,
  choice,
  listOf,
  NoContent,
  notFound,
  op,
  principalId,
  record,
  shape,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import { noticeEnding } from '../../services/security-notices/index.ts';
import type { Context } from '../../shared/context.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import { maxConfirmed } from './enrolment.ts';
import { requestId } from './params.ts';
import { type Enrolment, findEnrolment, listLive, lockGuard, updateEnrolment } from './queries.ts';
import { accept, findMatch, guardTries } from './verify.ts';

const Authenticator = record('Authenticator', 'An authenticator app of the signed-in user.', {
  id: text('The id that it was enrolled with.', { maxLength: 64 }),
  status: choice('pending: enrolled, but not confirmed with a code yet. confirmed: in use.', ['pending', 'confirmed']),
  createdAt: text('When it was enrolled, in ISO 8601 format.', { maxLength: 64 }),
  expiresAt: T.Optional(text('Until when a pending one can be confirmed, in ISO 8601 format.', { maxLength: 64 })),
});
type Authenticator = ValueOf<typeof Authenticator>;

function toAuthenticator({
  request_id,
  state,
  created_at,
  expires_at,
}: Pick<Enrolment, 'request_id' | 'state' | 'created_at' | 'expires_at'>): Authenticator {
  const isConfirmed = state === 'confirmed';
  return {
    id: request_id,
    status: isConfirmed ? 'confirmed' : 'pending',
    createdAt: created_at.toISOString(),
    ...(!isConfirmed && { expiresAt: expires_at.toISOString() }),
  };
}

const code = (description: string) => T.String({ description, pattern: '^[0-9]{6}$', minLength: 6, maxLength: 6 });

export const authenticatorOperations = [
  op(
    'GET /latchkey/account/authenticators',
    {
      id: 'listAuthenticators',
      summary: 'List your authenticator apps',
      description:
        'Returns the signed-in user’s authenticator apps, oldest first: those in use and those waiting for confirmation. Enroll one with GET /totp/{requestId}.',
      access: thePerson,
      returns: listOf(Authenticator),
    },
    listAuthenticators,
  ),
  op(
    'POST /latchkey/account/authenticators/{requestId}/confirm',
    {
      id: 'confirmAuthenticator',
      summary: 'Confirm an authenticator app',
      description: `Confirms an enrolled authenticator app, in addition to those you have. Send the code it shows, and a code from an app that is already in use, if there is one. You can have up to ${maxConfirmed}. Codes from every app in use are accepted. A new app can approve signatures only after the waiting period that the operator set (24 hours by default). Fails with INVALID_OTP for a wrong or used code.`,
      audit: 'authenticator.add',
      access: thePerson,
      params: { requestId },
      body: shape(
        T.Object({
          code: code('The code that the new app shows.'),
          currentCode: T.Optional(code('The code that an app in use shows. Required if there is one.')),
        }),
      ),
      returns: Authenticator,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_OTP', 'STATE_CONFLICT', 'TOO_MANY_TRIES'],
    },
    confirmAuthenticator,
  ),
  op(
    'DELETE /latchkey/account/authenticators/{requestId}',
    {
      id: 'removeAuthenticator',
      summary: 'Remove an authenticator app',
      description:
        'Removes an authenticator app; its codes are no longer accepted. Requires a sign-in with a wallet, passkey or chat account within the last 10 minutes, so that you can also remove an app that you have lost.',
      audit: 'authenticator.remove',
      access: thePerson,
      params: { requestId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'PRESENCE_REQUIRED'],
    },
    removeAuthenticator,
  ),
] as const;

type ListContext = Pick<Context, 'actor' | 'clock' | 'tx'>;

export async function listAuthenticators(ctx: ListContext): Promise<Authenticator[]> {
  const live = await ctx.tx((tx) => listLive(tx, principalId(ctx.actor), ctx.clock()));
  return live.map(toAuthenticator);
}

/** Invalidates its codes. A user who lost the app cannot send one, so a recent sign-in is required instead. */
export async function removeAuthenticator(ctx: ListContext, { requestId }: { requestId: string }): Promise<void> {
  const userId = principalId(ctx.actor);
  await ctx.tx(async (tx) => {
    await lockGuard(tx, userId);
    const now = ctx.clock();
    const row = await findEnrolment(tx, userId, requestId);
    if (row === undefined || row.state === 'retired') throw notFound('authenticator app');
    requirePresence(ctx);
    await updateEnrolment(tx, row, { state: 'retired', secret: null, expires_at: now });
    if (row.state === 'confirmed') await noticeEnding(tx, userId, 'authenticator-removed');
  });
}

type ConfirmContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'log' | 'settings' | 'tx'>;

/**
 * Confirms another authenticator app with one of its codes. If one is already in use, a code of that is required too,
 * because otherwise a stolen session could add its own app.
 */
export async function confirmAuthenticator(
  ctx: ConfirmContext,
  { requestId, body: { code, currentCode } }: { requestId: string; body: { code: string; currentCode?: string } },
): Promise<Authenticator> {
  const userId = principalId(ctx.actor);
  await guardTries(ctx, userId, async (tx, live, now) => {
    const pending = live.filter(({ request_id, state }) => request_id === requestId && state === 'pending');
    const confirmed = live.filter(({ state }) => state === 'confirmed');
    if (pending.length === 0) throw notFound('authenticator app that waits to be confirmed');
    if (confirmed.length >= maxConfirmed)
      throw new AppError('STATE_CONFLICT', `You can have ${maxConfirmed} authenticator apps. Remove one first.`);
    if (confirmed.length > 0 && currentCode === undefined) throw currentCodeNeeded();
    const added = await findMatch(ctx, pending, code, now);
    if (added.verdict !== 'right') return added.verdict;
    if (currentCode !== undefined && confirmed.length > 0) {
      const current = await findMatch(ctx, confirmed, currentCode, now);
      if (current.verdict !== 'right') return current.verdict;
      await accept(tx, current, now);
    }
    await accept(tx, added, now);
    return 'right';
  });
  const row = await ctx.tx((tx) => findEnrolment(tx, userId, requestId));
  if (row === undefined) throw notFound('authenticator app');
  return toAuthenticator(row);
}

function currentCodeNeeded(): AppError {
  return new AppError(
    'INVALID_OTP',
    'You already use an authenticator app. Send a code from it in currentCode. If you no longer have it, remove it first.',
  );
}
