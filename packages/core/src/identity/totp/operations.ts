import type { Tx } from '@latchkey/db';
import { type Actor, AppError, addSeconds, notFound, op, Png, principalId, resource, user } from '@latchkey/kernel';
import { drawQrCode } from '../../services/qrcode/index.ts';
import type { Context } from '../../shared/context.ts';
import { enrolmentTtlSeconds, enrolmentUri, maxPendingEnrolments, secretBytes, secretPlace } from './enrolment.ts';
import { requestId } from './params.ts';
import { findEnrolment, insertEnrolment, listLive, lockGuard } from './queries.ts';

export const totp = resource('totp', 'Authenticator apps as a second factor.', [
  op(
    'GET /totp/{requestId}',
    {
      id: 'generateTotpQrCode',
      sdk: 'QRCodeController.generateTotpQrCode',
      summary: 'Enroll an authenticator app',
      description: `Returns a PNG of the QR code that sets up an authenticator app (RFC 6238) for the caller. The first call with an id starts an enrollment and later ones return the same image, for ${enrolmentTtlSeconds / 60} minutes or until a code from the app is accepted, whichever comes first; after that the image is no longer available. Apps that are in use stay active. The first app is confirmed by its first correct code, further ones with POST /latchkey/account/authenticators/{requestId}/confirm. Up to ${maxPendingEnrolments} enrollments can be pending at a time.`,
      changes: true,
      access: user(),
      params: { requestId },
      returns: Png,
      errors: ['ENTITY_NOT_FOUND'],
    },
    generateTotpQrCode,
  ),
]);

type EnrolContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'settings' | 'tx'>;

export async function generateTotpQrCode(ctx: EnrolContext, { requestId }: { requestId: string }): Promise<Uint8Array> {
  const secret = await ctx.tx((tx) => findOrStart(ctx, tx, requestId));
  return drawQrCode(enrolmentUri(ctx.settings.serviceName, subjectOf(ctx.actor), secret));
}

async function findOrStart(ctx: EnrolContext, tx: Tx, requestId: string): Promise<Uint8Array> {
  const userId = principalId(ctx.actor);
  await lockGuard(tx, userId);
  const now = ctx.clock();
  const known = await findEnrolment(tx, userId, requestId);
  if (known === undefined) return start(ctx, tx, requestId, now);
  if (known.secret === null || known.state !== 'pending' || known.expires_at <= now)
    throw notFound('enrollment; start one with a new id');
  return ctx.keyring.open(secretPlace(userId, requestId), known.secret);
}

async function start(ctx: EnrolContext, tx: Tx, requestId: string, now: Date): Promise<Uint8Array> {
  const userId = principalId(ctx.actor);
  const pending = (await listLive(tx, userId, now)).filter(({ state }) => state === 'pending');
  const oldest = pending[0];
  if (oldest !== undefined && pending.length >= maxPendingEnrolments) {
    const retryAfterSeconds = Math.ceil((oldest.expires_at.getTime() - now.getTime()) / 1000);
    throw new AppError('RATE_LIMITED', 'Finish one of the enrollments you have started, or wait until they expire.', {
      retryAfterSeconds,
    });
  }
  const secret = ctx.random.bytes(secretBytes);
  await insertEnrolment(tx, {
    user_id: userId,
    request_id: requestId,
    state: 'pending',
    secret: ctx.keyring.seal(secretPlace(userId, requestId), secret),
    used_steps: [],
    created_at: now,
    expires_at: addSeconds(now, enrolmentTtlSeconds),
  });
  return secret;
}

function subjectOf(actor: Actor): string {
  return (actor.kind === 'user' ? actor.name : undefined) ?? principalId(actor);
}
