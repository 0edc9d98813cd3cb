import type { Tx } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import { emit } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import type { ClientAppStatus } from './client-app.ts';
import { type ClientAppRow, findAppForUpdate, type StoredClientApp, updateApp } from './queries.ts';
import { actionOf, addAction, assertTransition } from './status.ts';

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
