import type { Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import { disableEndpoint, emit, enableEndpoint, resetEndpointSecret } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { checkText } from './check-fields.ts';
import type { ClientAppStatus } from './client-app.ts';
import { type ClientAppRow, findAppForUpdate, type StoredClientApp, updateApp } from './queries.ts';
import { actionOf, addAction, assertOperator, assertTransition } from './status.ts';

export type ChangeContext = Pick<Context, 'actor' | 'tx' | 'clock' | 'random'>;

export interface Change {
  /** The name of the action in the audit trail. */
  action: string;
  notes?: string | undefined;
  /** Defaults to the current status. */
  status?: ClientAppStatus;
  columns?: Partial<Omit<ClientAppRow, 'id' | 'status' | 'actions' | 'updated_at'>>;
}

/** Locks an application for a change. Throws not found if the caller does not own it. */
export async function getAppForUpdate(tx: Tx, id: string): Promise<StoredClientApp> {
  const app = await findAppForUpdate(tx, id);
  if (app === undefined) throw notFound('client application');
  return app;
}

/**
 * Writes a change with its audit entry. A new status must be a legal transition, and the application is notified of it.
 */
export async function change(
  ctx: ChangeContext,
  tx: Tx,
  app: StoredClientApp,
  { action, notes, status = app.status, columns = {} }: Change,
): Promise<StoredClientApp> {
  if (status !== app.status) assertTransition(app.status, status);
  const actions = addAction(app.actions, actionOf(ctx, action, notes));
  const changed = await updateApp(tx, app.id, { ...columns, status, actions, updated_at: ctx.clock() });
  if (status !== app.status) {
    await emit(ctx, tx, 'client-app.status-changed', {
      ownerId: app.created_by_id,
      clientId: app.id,
      payload: { clientId: app.id, status, previousStatus: app.status },
    });
  }
  return changed;
}

const noWebhook = () => new AppError('STATE_CONFLICT', 'The client application has no webhook address.');

/** Stops sending events to an application. Pending ones are not sent either, but can be resent later. */
export async function disableWebhook(
  ctx: ChangeContext,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  assertOperator(ctx.actor);
  checkText('reason', reason);
  await ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (!(await disableEndpoint(ctx, tx, id, reason))) throw noWebhook();
    await change(ctx, tx, app, { action: 'disable-webhook', notes: reason });
  });
}

export async function enableWebhook(ctx: ChangeContext, { id }: { id: string }): Promise<void> {
  assertOperator(ctx.actor);
  await ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (!(await enableEndpoint(tx, id))) throw noWebhook();
    await change(ctx, tx, app, { action: 'enable-webhook' });
  });
}

/** Creates a new signing secret and shows it once: after a leak, or when the operator set the webhook. */
export async function resetWebhookSecret(
  ctx: ChangeContext & Pick<Context, 'keyring'>,
  { id }: { id: string },
): Promise<{ secret: string }> {
  assertOperator(ctx.actor);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const secret = await resetEndpointSecret(ctx, tx, { clientId: app.id, ownerId: app.created_by_id });
    await change(ctx, tx, app, { action: 'reset-webhook-secret' });
    return { secret };
  });
}
