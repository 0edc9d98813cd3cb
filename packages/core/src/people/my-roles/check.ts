import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { countOwnChanges } from '../../gating/role-plans/index.ts';
import { isTouched, touch } from '../../gating/touches/index.ts';
import { ownMembership } from './explain.ts';
import type { MyRoleCheck } from './my-roles.ts';

type CheckContext = Pick<Context, 'actor' | 'clock' | 'db'>;

/** Has the caller's own roles checked and written. Asked again before it has run, it stays one check. */
export async function startMyRoleCheck(
  ctx: CheckContext,
  { communityId }: { communityId: string },
): Promise<MyRoleCheck> {
  const { community, userId } = await ownMembership(ctx, communityId);
  const since = ctx.clock();
  await ctx.db.transaction('system', (tx) =>
    // As after a change of the wallets, so that the pauses which an admin's undo left stay.
    touch(tx, { communityId: community.id, members: [userId], cause: 'wallet' }),
  );
  return progress(ctx, { communityId: community.id, userId, since });
}

export async function getMyRoleCheck(
  ctx: CheckContext,
  { communityId, since }: { communityId: string; since?: string | undefined },
): Promise<MyRoleCheck> {
  const { community, userId } = await ownMembership(ctx, communityId);
  return progress(ctx, { communityId: community.id, userId, since: momentOf(ctx, since) });
}

async function progress(
  ctx: CheckContext,
  { communityId, userId, since }: { communityId: string; userId: string; since: Date },
): Promise<MyRoleCheck> {
  const [isWaiting, changes] = await Promise.all([
    isTouched(ctx.db.system, communityId, userId, ctx.clock()),
    countOwnChanges(ctx.db.system, { communityId, userId, since }),
  ]);
  return { isWaiting, ...changes, since: since.toISOString() };
}

function momentOf({ clock }: Pick<Context, 'clock'>, text: string | undefined): Date {
  if (text === undefined) return clock();
  const moment = new Date(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text) && Number.isFinite(moment.getTime())) return moment;
  throw new AppError(
    'INVALID_PARAMETER_VALUE',
    'The parameter since must be a time in ISO 8601, for example 2026-01-15T12:00:00Z.',
  );
}
