import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import type { PlatformIdentity } from '../../ports/index.ts';
import { exchangeCode, takeAttempt } from '../link-attempts/index.ts';
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
  const { x } = ctx;
  if (x === undefined) throw notOffered();
  const redirectUri = returnAddress(ctx);
  const identity = await exchangeCode(ctx, 'X', () => x.finish({ code, codeVerifier, redirectUri }));
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
