import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import { unlinkAccount } from '../wallets/index.ts';
import { namespace } from './x-account.ts';

/** Takes the X account from the caller. Roles that depend on it are re-checked. */
export async function unlinkX(ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin'>): Promise<void> {
  const wasLinked = await unlinkAccount(ctx, namespace, 'x-account.unlink', lookAtRoles);
  if (!wasLinked) throw notFound('linked X account');
}
