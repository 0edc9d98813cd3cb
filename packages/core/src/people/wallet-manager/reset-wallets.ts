import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import { moveLink } from '../wallets/index.ts';
import { describe } from './answers.ts';
import { takePending } from './pending.ts';

/** Moves a wallet to the account that has just proven it, from the other accounts that stood in its way. */
export async function resetWallets(
  ctx: Context,
  { resetToken }: { resetToken: string },
): Promise<Record<string, unknown>> {
  const pending = await takePending(ctx, 'reset', resetToken);
  if (pending === undefined) throw notFound('reset token');
  const { user, content } = pending;
  const movedFrom = await moveLink(user, content.link, lookAtRoles);
  return { success: true, address: content.link.address, movedFrom, connection: describe(user, content.link) };
}
