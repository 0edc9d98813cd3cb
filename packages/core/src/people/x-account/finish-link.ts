import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import { PlatformFailed, type PlatformIdentity } from '../../ports/index.ts';
import { takeAttempt } from '../link-attempts/index.ts';
import { findAccountOf, saveLink } from '../wallets/index.ts';
import { namespace, notOffered, returnAddress, toXAccount, type XAccount } from './x-account.ts';

type FinishContext = Pick<
  Context,
  'actor' | 'clock' | 'db' | 'keyring' | 'log' | 'origin' | 'random' | 'settings' | 'x'
>;

/** Links the X account that the browser came back with a code of. The attempt is used up whatever comes of it. */
export async function finishXLink(
  ctx: FinishContext,
  { body: { state, code } }: { body: { state: string; code: string } },
): Promise<XAccount> {
  const userId = principalId(ctx.actor);
  const codeVerifier = await takeAttempt(ctx, { service: namespace, state, what: 'an X account' });
  const identity = await identify(ctx, { code, codeVerifier });
  const link = {
    namespace,
    address: identity.userId,
    contractChain: null,
    accountName: identity.name,
    auditAs: 'x-account.link',
  } as const;
  if ((await saveLink(ctx, link, lookAtRoles)) === 'taken') throw isTaken(identity);
  const linked = await findAccountOf(ctx.db.system, userId, namespace);
  if (linked !== undefined && linked.address !== identity.userId) throw hasAnother(linked.account_name);
  return toXAccount(ctx, linked);
}

async function identify(ctx: FinishContext, proof: { code: string; codeVerifier: string }): Promise<PlatformIdentity> {
  if (ctx.x === undefined) throw notOffered();
  try {
    return await ctx.x.finish({ ...proof, redirectUri: returnAddress(ctx) });
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind === 'unavailable')
      throw new AppError('UNAVAILABLE', 'X does not respond at the moment. Nothing was linked; try again shortly.', {
        retryAfterSeconds: error.retryAfterSeconds ?? 30,
        cause: error,
      });
    ctx.log.warn('X did not confirm an account.', { reason: error.message });
    if (error.kind === 'not-configured')
      throw new AppError('UNAVAILABLE', 'X does not know this server as it is configured. Please tell its operator.', {
        retryAfterSeconds: 300,
      });
    const message = 'was not accepted by X. Start again';
    throw new AppError('VALIDATION_FAILED', `The body at /code ${message}.`, {
      details: [{ path: '/code', code: 'refused', message }],
    });
  }
}

function isTaken({ name }: PlatformIdentity): AppError {
  return new AppError(
    'STATE_CONFLICT',
    `@${name} is linked to another account of one of your communities. Unlink it there first.`,
  );
}

function hasAnother(name: string | null): AppError {
  const other = name === null ? 'another X account' : `@${name}`;
  return new AppError('STATE_CONFLICT', `You have linked ${other} already. Unlink it first.`);
}
