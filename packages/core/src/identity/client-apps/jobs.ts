import { job, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { decideClientApp } from './examine.ts';
import { findApp } from './queries.ts';

/**
 * Grants a new application the scopes that the operator opened to all applications. A job of the system does it, after
 * the transaction that created the application: its owner must not be able to approve anything.
 */
export const openTrial = job(
  'client-apps.open-trial',
  { payload: shape(T.Object({ id: text('The client id.', { maxLength: 64 }) })) },
  async (ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'random' | 'settings' | 'tx'>, { id }) => {
    const scopes = ctx.settings.trialScopes ?? [];
    if (scopes.length === 0 || (await findApp(ctx.db.system, id))?.status !== 'PENDING') return;
    const notes = 'Approved automatically with the scopes that the operator grants to every application.';
    await decideClientApp(ctx, { id, decision: 'approve', scopes, notes });
  },
);

export const clientAppJobs = [openTrial] as const;
