import { AppError } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { verifyTotp, verifyTotpEnrolledBefore } from '../totp/index.ts';
import { pickUpSignIn } from '../webauthn/index.ts';

type StepUpContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>;

const defaultRestSeconds = 24 * 60 * 60;

/**
 * True when an authenticator was added long enough ago to stand for a bare hash. Whoever has stolen a session could
 * otherwise add one and step up with it at once.
 */
export function isRested(ctx: Pick<Context, 'clock' | 'settings'>, { created_at }: { created_at: Date }): boolean {
  return created_at <= restedBefore(ctx);
}

function restedBefore(ctx: Pick<Context, 'clock' | 'settings'>): Date {
  const restSeconds = ctx.settings.hostedWallets?.stepUpRestSeconds ?? defaultRestSeconds;
  return new Date(ctx.clock().getTime() - restSeconds * 1000);
}

const isCode = /^[0-9]{6}$/;

/** Uses up a code of the authenticator app or the slug of a passkey's sign-in. `mustRest`: it is to stand for a hash. */
export async function stepUp(
  ctx: StepUpContext,
  userId: string,
  otp: string,
  { mustRest }: { mustRest: boolean },
): Promise<Date> {
  if (!isCode.test(otp)) await proveByPasskey(ctx, userId, otp, mustRest);
  else if (mustRest) await verifyTotpEnrolledBefore(ctx, userId, otp, restedBefore(ctx));
  else await verifyTotp(ctx, userId, otp);
  return ctx.clock();
}

async function proveByPasskey(ctx: StepUpContext, userId: string, slug: string, mustRest: boolean): Promise<void> {
  const passkey = await pickUpSignIn(ctx, slug).catch((error: unknown) => {
    throw error instanceof AppError ? wrong() : error;
  });
  if (passkey.user_id !== userId) throw wrong();
  if (mustRest && !isRested(ctx, passkey))
    throw new AppError('INVALID_OTP', 'This passkey was added too short a time ago to stand for a bare hash.');
}

function wrong(): AppError {
  return new AppError(
    'INVALID_OTP',
    'otp must be the code that the authenticator app shows now, or the slug of a sign-in by passkey that was not used yet.',
  );
}
