import { type Enqueueable, enqueue, type Tx } from '@latchkey/db';
import { AppError, addSeconds, notFound, principalId, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { getCommunity } from '../community-records/index.ts';
import { enqueueReconcile } from '../reconcile-queue/index.ts';
import { lockPass, putGrant } from './queries.ts';

export interface IssueGuestPass {
  /** The guild, by its own or its qualified id. */
  guildId: string;
  passId: string;
  /** The qualified id: `DIS#USER#…`. */
  userId: string;
}

/**
 * Gives a pass to a member: its roles are granted immediately and removed when it expires. Giving it again restarts it.
 */
export async function issueGuestPass(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>,
  { guildId, passId, userId }: IssueGuestPass,
): Promise<{ endsAt: Date }> {
  if (!/^DIS#USER#\d{1,20}$/.test(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Identify the member by an id such as DIS#USER#123.');
  return ctx.tx(async (tx) => {
    const community = await getCommunity(tx, guildId);
    const pass = await lockPass(tx, community.id, passId);
    if (pass === undefined) throw notFound('guest pass');
    if (pass.status !== 'active') throw new AppError('STATE_CONFLICT', 'This guest pass is not active.');
    const issuedAt = ctx.clock();
    const endsAt = addSeconds(issuedAt, pass.period_seconds);
    const grantId = await putGrant(tx, {
      id: ctx.random.id(),
      pass_id: pass.id,
      community_id: community.id,
      user_id: userId,
      role_ids: pass.role_set.map(({ id }) => id),
      issued_by_id: principalId(ctx.actor),
      issued_at: issuedAt,
      ends_at: endsAt,
      ended_at: null,
      applied_at: null,
      problem: null,
    });
    await settle(tx, { id: grantId, community_id: community.id, user_id: userId });
    return { endsAt };
  });
}

/** Queues an update of a grant's roles, and a check of what rules decide by it. */
export async function settle(tx: Tx, grant: { id: string; community_id: string; user_id: string }): Promise<void> {
  await enqueue(tx, applyGrant, { grantId: grant.id });
  await enqueueReconcile(tx, { communityId: grant.community_id, members: [grant.user_id], cause: 'rule' });
}

/** Updates the roles of one grant. The job is implemented where roles are written. */
export const applyGrant: Enqueueable<{ grantId: string }> = {
  name: 'guest-passes.apply',
  payload: shape(T.Object({ grantId: T.String({ maxLength: 64 }) })),
};
