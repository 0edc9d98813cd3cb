import { AppError, addSeconds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { verifyTotp, verifyTotpEnrolledBefore } from '../totp/index.ts';
import { type CredentialRow, pickUpSignIn } from '../webauthn/index.ts';

type StepUpContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log' | 'settings'>;

const defaultRestSeconds = 24 * 60 * 60;

/**
 * Whether a passkey can approve a signature: it was added long enough ago, since a thief with a stolen session could
 * add one and use it at once, and not by an application, which could hold it itself.
 */
export function canApprove(
  ctx: Pick<Context, 'clock' | 'settings'>,
  { created_at, client_id }: Pick<CredentialRow, 'created_at' | 'client_id'>,
): boolean {
  return created_at <= restedBefore(ctx) && client_id === null;
}

function restedBefore(ctx: Pick<Context, 'clock' | 'settings'>): Date {
  const restSeconds = ctx.settings.hostedWallets?.stepUpRestSeconds ?? defaultRestSeconds;
  return addSeconds(ctx.clock(), -restSeconds);
}

const isCode = /^[0-9]{6}$/;

export interface StepUpTerms {
  /** Whether an authenticator must have been added long enough ago. */
  mustRest: boolean;
  /** What a passkey must have approved; undefined if it must have signed in. */
  boundTo?: string;
}

/** Consumes a code of the authenticator app, or the slug of a passkey's response. */
export async function stepUp(
  ctx: StepUpContext,
  userId: string,
  otp: string,
  { mustRest, boundTo }: StepUpTerms,
): Promise<Date> {
  if (!isCode.test(otp)) await proveByPasskey(ctx, userId, otp, { mustRest, boundTo });
  else if (mustRest) await verifyTotpEnrolledBefore(ctx, userId, otp, restedBefore(ctx));
  else await verifyTotp(ctx, userId, otp);
  return ctx.clock();
}

async function proveByPasskey(
  ctx: StepUpContext,
  userId: string,
  slug: string,
  { mustRest, boundTo }: { mustRest: boolean; boundTo: string | undefined },
): Promise<void> {
  const passkey = await pickUpSignIn(ctx, slug, boundTo).catch((error: unknown) => {
    throw error instanceof AppError ? wrong() : error;
  });
  if (passkey.user_id !== userId) throw wrong();
  if (mustRest && !canApprove(ctx, passkey))
    throw new AppError(
      'INVALID_OTP',
      'This passkey was added too recently, or by an application, and cannot approve signatures.',
    );
}

function wrong(): AppError {
  return new AppError(
    'INVALID_OTP',
    'otp must be the current code of the authenticator app, or the unused slug of a passkey response to the options in the error details, for the same text.',
  );
}
