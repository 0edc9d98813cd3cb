import type { Tx } from '@latchkey/db';
import { type Actor, AppError, notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { MiniAppAction, MiniAppRegistration, MiniAppStatus } from './mini-app.ts';
import { lockMiniApp, type MiniAppChange, type MiniAppRow, updateMiniApp } from './queries.ts';

export type ChangeContext = Pick<Context, 'actor' | 'clock' | 'tx'>;

const classifier = 'MINIAPP';

/** Converts a mini-app to the API's record; the private key is only in the response that created it. */
export function toRecord(row: MiniAppRow, privateKey?: string): MiniAppRegistration {
  return {
    id: row.id,
    createdTime: row.created_at.toISOString(),
    pk: row.organization_id,
    sk: `${classifier}#${row.id}`,
    classifier,
    classifierGroup: classifier,
    status: row.status,
    actions: row.actions,
    name: row.name,
    description: row.description,
    icon: row.icon ?? undefined,
    feedback: row.feedback ?? undefined,
    url: row.url ?? undefined,
    platforms: row.platforms,
    metadata: row.metadata,
    publicKey: row.public_key,
    privateKey,
  };
}

export function miniAppIdOf(idOrSk: string): string {
  return idOrSk.startsWith(`${classifier}#`) ? idOrSk.slice(classifier.length + 1) : idOrSk;
}

/** Locks a mini-app, as far as the transaction's tenant may see it. */
export async function getForUpdate(tx: Tx, id: string): Promise<MiniAppRow> {
  const row = await lockMiniApp(tx, miniAppIdOf(id));
  if (row === undefined) throw notFound('mini-app');
  return row;
}

const maxActions = 200;

/** Changes a mini-app and adds an entry to its audit trail. */
export function change(
  ctx: { actor: Actor; clock(): Date },
  tx: Tx,
  row: MiniAppRow,
  { action, notes, ...columns }: { action: string; notes?: string | undefined } & MiniAppChange,
): Promise<MiniAppRow> {
  return updateMiniApp(tx, row.id, { ...columns, actions: addLine(row.actions, actionOf(ctx, action, notes)) });
}

export function actionOf(ctx: { actor: Actor; clock(): Date }, action: string, notes?: string): MiniAppAction {
  const line = { action, actionBy: principalId(ctx.actor), timestamp: ctx.clock().toISOString() };
  return notes === undefined ? line : { ...line, notes: notes.slice(0, 1024) };
}

const byOwner: readonly string[] = ['rename', 'reset-secret', 'set-profile', 'submit'];

// Owners can repeat these; the operator's decisions are never displaced by them.
function addLine(trail: readonly MiniAppAction[], line: MiniAppAction): MiniAppAction[] {
  const all = [...trail, line];
  let surplus = all.filter(({ action }) => byOwner.includes(action)).length - maxActions;
  return all.filter(({ action }) => !byOwner.includes(action) || surplus-- <= 0);
}

const nextStatuses: Readonly<Record<MiniAppStatus, readonly MiniAppStatus[]>> = {
  PENDING: ['APPROVED', 'REJECTED'],
  APPROVED: ['LISTED', 'REVOKED'],
  LISTED: ['APPROVED', 'REVOKED'],
  REJECTED: ['PENDING'],
  // A suspended app may be fixed and reviewed again.
  REVOKED: ['APPROVED', 'PENDING'],
};

export function assertTransition(from: MiniAppStatus, to: MiniAppStatus): void {
  if (nextStatuses[from].includes(to)) return;
  const choices = nextStatuses[from].join(' or ');
  throw new AppError('STATE_CONFLICT', `The mini-app is ${from} and cannot become ${to}. It can become ${choices}.`);
}
