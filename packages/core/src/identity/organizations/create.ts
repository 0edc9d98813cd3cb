import { enqueue, type Tx } from '@latchkey/db';
import { AppError, addSeconds, principalId } from '@latchkey/kernel';
import { freePlanId } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { mailOrganizationOtp } from './jobs.ts';
import {
  isSameRequest,
  maxUnverified,
  type Organization,
  type OrganizationCreate,
  toOrganization,
  unverifiedTtlSeconds,
} from './organization.ts';
import {
  deleteOtpsOf,
  drawOtp,
  insertOtp,
  mailWindowSeconds,
  maxMailsPerHour,
  otpPlace,
  otpTtlSeconds,
  selectMailTimes,
  wipeOtpOf,
} from './otp.ts';
import {
  deleteUnverifiedOf,
  insertOrganization,
  lockOwner,
  type OrganizationRow,
  selectOrganizationsOf,
  selectUnverifiedOf,
  updateOrganization,
} from './queries.ts';

type CreateContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'tx'>;

export async function createOrganization(
  ctx: CreateContext,
  { body }: { body: OrganizationCreate },
): Promise<Organization> {
  return ctx.tx(async (tx) => {
    const ownerId = principalId(ctx.actor);
    const now = ctx.clock();
    await lockOwner(tx, ownerId);
    await requireMailsLeft(tx, ownerId, now);
    await deleteUnverifiedOf(tx, ownerId, addSeconds(now, -unverifiedTtlSeconds));
    const unverified = await selectUnverifiedOf(tx, ownerId);
    const request = unverified.find((row) => isSameRequest(row, body));
    if (request === undefined) requireRoom(unverified, now);
    else await updateOrganization(tx, request.id, { code_requested_at: now });
    const organization = request ?? (await insertOrganization(tx, newOrganization(ctx, ownerId, now, body)));
    await sendOtp(ctx, tx, organization, now);
    return toOrganization(organization);
  });
}

/** Creates an organization that needs no mail to be confirmed, in the sample community of `npm start`; repeated calls change nothing. */
export async function ensureConfirmedOrganization(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>,
  request: OrganizationCreate,
): Promise<string> {
  return ctx.tx(async (tx) => {
    const ownerId = principalId(ctx.actor);
    const now = ctx.clock();
    await lockOwner(tx, ownerId);
    const [known] = await selectOrganizationsOf(tx, ownerId);
    if (known !== undefined) return known.id;
    const organization = { ...newOrganization(ctx, ownerId, now, request), verified_at: now };
    await insertOrganization(tx, organization);
    return organization.id;
  });
}

function newOrganization(
  ctx: Pick<Context, 'random'>,
  ownerId: string,
  now: Date,
  { name, email }: OrganizationCreate,
): OrganizationRow {
  return {
    id: ctx.random.id(),
    created_by_id: ownerId,
    name,
    email,
    plan_id: freePlanId,
    created_at: now,
    code_requested_at: now,
    verified_at: null,
  };
}

/** A job of the same transaction sends the mail. It finds the sealed password by its id. */
async function sendOtp(ctx: CreateContext, tx: Tx, organization: OrganizationRow, now: Date): Promise<void> {
  const id = ctx.random.id();
  await wipeOtpOf(tx, organization.id);
  await insertOtp(tx, {
    id,
    organization_id: organization.id,
    created_by_id: organization.created_by_id,
    code: ctx.keyring.seal(otpPlace(id), drawOtp(ctx.random)),
    wrong_tries: 0,
    created_at: now,
    expires_at: addSeconds(now, otpTtlSeconds),
  });
  await enqueue(tx, mailOrganizationOtp, { otpId: id }, { group: organization.created_by_id });
}

/** Prevents flooding of mailboxes, and limits how many passwords can be guessed. */
async function requireMailsLeft(tx: Tx, ownerId: string, now: Date): Promise<void> {
  const windowStart = addSeconds(now, -mailWindowSeconds);
  await deleteOtpsOf(tx, ownerId, windowStart);
  const recent = (await selectMailTimes(tx, ownerId, windowStart)).slice(-maxMailsPerHour);
  const [oldest] = recent;
  if (oldest === undefined || recent.length < maxMailsPerHour) return;
  throw new AppError('RATE_LIMITED', `You can request ${maxMailsPerHour} one-time passwords per hour.`, {
    retryAfterSeconds: secondsUntil(addSeconds(oldest, mailWindowSeconds), now),
  });
}

function requireRoom(unverified: readonly OrganizationRow[], now: Date): void {
  const [oldest] = unverified;
  if (oldest === undefined || unverified.length < maxUnverified) return;
  throw new AppError(
    'RATE_LIMITED',
    `Confirm one of your organizations first: ${maxUnverified} are still waiting for their one-time password.`,
    { retryAfterSeconds: secondsUntil(addSeconds(oldest.code_requested_at, unverifiedTtlSeconds), now) },
  );
}

function secondsUntil(time: Date, now: Date): number {
  return Math.max(1, Math.ceil((time.getTime() - now.getTime()) / 1000));
}
