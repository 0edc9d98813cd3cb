import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { SecretContext } from '../../machinery/kept-secrets/index.ts';
import { deleteGuest, insertGuest, insertMember, isGuest, isMember } from './queries.ts';
import { configured, hashUserId } from './waiting-list.ts';

/** Takes the caller onto the list without a quote, if the operator invited them. */
export async function registerKol(ctx: Pick<Context, 'actor' | 'clock' | 'tx'>): Promise<boolean> {
  const userId = principalId(ctx.actor);
  return ctx.tx(async (tx) => {
    if (!(await isGuest(tx, userId))) return false;
    await insertMember(tx, userId, 'guest', ctx.clock());
    return true;
  });
}

/** Whether the caller is on the list. Those whom the chain has are remembered, since it never forgets them. */
export async function isRegistered(
  ctx: SecretContext & Pick<Context, 'actor' | 'settings' | 'tx' | 'waitingList'>,
): Promise<boolean> {
  const userId = principalId(ctx.actor);
  if (await ctx.tx((tx) => isMember(tx, userId))) return true;
  const { contracts } = configured(ctx);
  const userIdHash = await hashUserId(ctx, userId);
  const answers = await Promise.all(
    contracts.map(({ chainId, address }) =>
      ctx.waitingList.readRegistered({ chainId, contractAddress: address, userIdHash }),
    ),
  );
  if (answers.some((answer) => answer.kind === 'read' && answer.isRegistered)) {
    await ctx.tx((tx) => insertMember(tx, userId, 'chain', ctx.clock()));
    return true;
  }
  const unknown = answers.find((answer) => answer.kind === 'unknown');
  if (unknown !== undefined) throw new AppError('UNAVAILABLE', unknown.reason, { retryAfterSeconds: 10 });
  return false;
}

/** Invites somebody, or takes the invitation back. People who are already on the list stay there. */
export async function inviteToWaitingList(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  { userId, isInvited }: { userId: string; isInvited: boolean },
): Promise<void> {
  if (ctx.actor.kind !== 'admin') throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator invites.');
  if (isInvited) await insertGuest(ctx.db.system, userId, ctx.clock());
  else await deleteGuest(ctx.db.system, userId);
}
