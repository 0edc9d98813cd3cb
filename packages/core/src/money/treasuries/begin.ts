import { enqueue, type Tx } from '@latchkey/db';
import { shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type ActionRow, findOpen, insertAction, updateAction } from './action-queries.ts';
import type { TreasuryRow } from './queries.ts';

type BeginContext = Pick<Context, 'clock' | 'random'>;

const payload = shape(T.Object({ actionId: T.String({ maxLength: 64 }) }));

/** The work of sending an action to the chain, as those who ask for it know it. */
export const sending = { name: 'treasuries.send', payload };
/** The work of seeing it there. It keeps nobody waiting. */
export const confirmation = { name: 'treasuries.confirm', payload };

/** Those of one chain are sent one after the other, since each takes the next number of the paying account. */
export async function enqueueSending(tx: Tx, { chain_id }: TreasuryRow, actionId: string): Promise<void> {
  await enqueue(tx, sending, { actionId }, { key: String(chain_id), uniqueKey: actionId });
}

/** Begins to deploy a Safe, or finds the deployment that is under way. Call it with the wallet locked. */
export async function beginDeployment(
  ctx: BeginContext,
  tx: Tx,
  treasury: TreasuryRow,
  askedById: string,
): Promise<ActionRow> {
  const open = await findOpen(tx, treasury.safe_address, 'deployment');
  const action = open ?? (await insertAction(tx, newAction(ctx, treasury, askedById, { kind: 'deployment' })));
  // One that was given up is taken up again.
  await enqueueSending(tx, treasury, action.id);
  return action;
}

/** Begins a move that its owner has signed. A Safe that is not there yet comes first. Call it with the wallet locked. */
export async function beginMove(
  ctx: BeginContext,
  tx: Tx,
  treasury: TreasuryRow,
  action: ActionRow,
  { signature, isDeployed }: { signature: string; isDeployed: boolean },
): Promise<void> {
  await updateAction(tx, action.id, { state: 'waiting', signature, expires_at: null, updated_at: ctx.clock() });
  if (isDeployed) await enqueueSending(tx, treasury, action.id);
  else await beginDeployment(ctx, tx, treasury, action.asked_by_id);
}

export function newAction(
  ctx: BeginContext,
  { safe_address }: Pick<TreasuryRow, 'safe_address'>,
  asked_by_id: string,
  action: Pick<ActionRow, 'kind'> & Partial<ActionRow>,
): ActionRow {
  const now = ctx.clock();
  return {
    id: ctx.random.id(),
    safe_address,
    state: 'waiting',
    asked_by_id,
    content: {},
    call: null,
    nonce: null,
    typed_data: null,
    signature: null,
    tx_hashes: [],
    tx_hash: null,
    problem: null,
    created_at: now,
    updated_at: now,
    expires_at: null,
    ...action,
  };
}
