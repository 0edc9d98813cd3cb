import { equalSecrets, type Tx } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { emit } from '../webhooks/index.ts';
import { type Organization, toOrganization } from './organization.ts';
import { maxWrongTries, otpPlace } from './otp.ts';
import { countWrongTry, selectLiveOtpsOf, wipeOtpOf } from './otp-queries.ts';
import { lockOwner, type OrganizationRow, updateOrganization } from './queries.ts';

type VerifyContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>;
type Outcome = { kind: 'verified'; organization: OrganizationRow } | { kind: 'wrong' } | { kind: 'locked' };

/**
 * Confirms the caller's organization that the one-time password was mailed for. A caller may have several waiting ones
 * and does not say which, so a wrong password is a wrong try on each of them.
 */
export async function verifyOrganization(
  ctx: VerifyContext,
  { body }: { body: { otp: string } },
): Promise<Organization> {
  // Refusals are thrown only after the transaction, which must keep the count of wrong tries.
  const outcome = await ctx.tx((tx) => tryOtp(ctx, tx, body.otp));
  switch (outcome.kind) {
    case 'verified':
      return toOrganization(outcome.organization);
    case 'wrong':
      throw new AppError('INVALID_OTP', 'The one-time password is wrong, used or expired.');
    case 'locked':
      throw new AppError(
        'TOO_MANY_TRIES',
        'Too many wrong one-time passwords. Create the organization again with the same name and e-mail address to get a new one.',
      );
  }
}

async function tryOtp(ctx: VerifyContext, tx: Tx, otp: string): Promise<Outcome> {
  const ownerId = principalId(ctx.actor);
  const now = ctx.clock();
  await lockOwner(tx, ownerId);
  const live = await selectLiveOtpsOf(tx, ownerId, now);
  if (live.length === 0) return { kind: 'wrong' };
  const open = live.filter((row) => row.wrong_tries < maxWrongTries);
  if (open.length === 0) return { kind: 'locked' };
  const match = open.find((row) => equalSecrets(ctx.keyring.openText(otpPlace(row.id), row.code), otp));
  if (match === undefined) {
    await countWrongTry(
      tx,
      open.map((row) => row.id),
    );
    return { kind: 'wrong' };
  }
  await wipeOtpOf(tx, match.organization_id);
  const organization = await updateOrganization(tx, match.organization_id, { verified_at: now });
  if (organization === undefined) return { kind: 'wrong' };
  await emit(ctx, tx, 'organization.verified', { ownerId, payload: { organizationId: organization.id } });
  return { kind: 'verified', organization };
}
