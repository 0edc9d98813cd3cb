import { enqueue, type Sql, type Tx } from '@latchkey/db';
import { AppError, exponentialRetry, job, shape, T } from '@latchkey/kernel';
import { type PreparedTransaction, type SafeState, type Safes, SafesRefusal } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { announce } from '../live-updates/index.ts';
import { releaseSpending, reserveSpending } from '../spending/index.ts';
import { type ActionRow, findAction, findOpen, insertAction, updateAction } from './action-queries.ts';
import { payerKey } from './payer.ts';
import { findTreasury, lockTreasury, setHandedOver, type TreasuryRow } from './queries.ts';
import { coinOf, getSafes, saltNonceOf } from './treasury.ts';

type BeginContext = Pick<Context, 'clock' | 'random'>;

const payload = shape(T.Object({ actionId: T.String({ maxLength: 64 }) }));

/** The job that sends an action to the chain, as its callers enqueue it. */
const sending = { name: 'treasuries.send', payload };
/** The background job that confirms it. */
const confirmation = { name: 'treasuries.confirm', payload };

/** Actions of one chain are sent one after the other, since each uses the next nonce of the paying account. */
async function enqueueSending(tx: Tx, { chain_id }: TreasuryRow, actionId: string): Promise<void> {
  await enqueue(tx, sending, { actionId }, { key: String(chain_id), uniqueKey: actionId });
}

/** Starts to deploy a Safe, or finds the deployment in progress. Call it with the wallet locked. */
export async function beginDeployment(
  ctx: BeginContext,
  tx: Tx,
  treasury: TreasuryRow,
  requestedById: string,
): Promise<ActionRow> {
  const open = await findOpen(tx, treasury.safe_address, 'deployment');
  const action = open ?? (await insertAction(tx, newAction(ctx, treasury, requestedById, { kind: 'deployment' })));
  // One that was given up is resumed.
  await enqueueSending(tx, treasury, action.id);
  return action;
}

/** Starts a transfer that its owner has signed. A missing Safe is deployed first. Call it with the wallet locked. */
export async function beginMove(
  ctx: BeginContext,
  tx: Tx,
  treasury: TreasuryRow,
  action: ActionRow,
  { signature, isDeployed }: { signature: string; isDeployed: boolean },
): Promise<void> {
  await updateAction(tx, action.id, { state: 'waiting', signature, expires_at: null, updated_at: ctx.clock() });
  if (isDeployed) await enqueueSending(tx, treasury, action.id);
  else await beginDeployment(ctx, tx, treasury, action.requested_by_id);
}

export function newAction(
  ctx: BeginContext,
  { safe_address }: Pick<TreasuryRow, 'safe_address'>,
  requested_by_id: string,
  action: Pick<ActionRow, 'kind'> & Partial<ActionRow>,
): ActionRow {
  const now = ctx.clock();
  return {
    id: ctx.random.id(),
    safe_address,
    state: 'waiting',
    requested_by_id,
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

type SendContext = Pick<Context, 'clock' | 'db' | 'evmWallets' | 'keyring' | 'log' | 'random' | 'safes' | 'settings'>;

/** Thrown while the transaction is not final, so that the job is retried later. */
class StillWaiting extends Error {
  override name = 'StillWaiting';
}

/** The minimum gas of a Safe call: enough for common tokens. */
export const leastGas = 150_000n;

interface OpenAction {
  safes: Safes;
  treasury: TreasuryRow;
  action: ActionRow;
  state: SafeState;
}

/**
 * Sends an action to the chain. It can be interrupted anywhere and run again: it queries the chain first, never sends a
 * second transaction while one may still be pending, and a Safe executes each nonce once.
 */
export async function sendAction(ctx: SendContext, actionId: string): Promise<void> {
  const open = await openAction(ctx, actionId);
  if (open === undefined) return;
  const { safes, treasury, action, state } = open;
  const earlier = action.tx_hashes.at(-1);
  if (earlier !== undefined && (await safes.outcomeOf(earlier)) === 'pending') return setSent(ctx, open);
  if (action.kind !== 'deployment' && BigInt(action.nonce ?? 0) !== state.nonce)
    return settle(ctx, treasury, action, {
      state: 'failed',
      problem: 'The wallet’s state on the chain has changed since this transfer was signed. Propose it again.',
    });
  try {
    const transaction = await prepare(ctx, open);
    await setPaid(ctx, open, transaction);
    await safes.send(transaction).catch((error: unknown) => giveBack(ctx, open, error));
  } catch (error) {
    return endOrWait(ctx, open, error);
  }
  await setSent(ctx, open);
}

const tryAgainSeconds = 60;

/**
 * Ends a transfer that would fail. One that the operator can fix waits in its own job, so that it does not block
 * others.
 */
async function endOrWait(ctx: SendContext, { treasury, action }: OpenAction, error: unknown): Promise<void> {
  const isRefused = error instanceof SafesRefusal;
  if (isRefused && error.wouldFail && action.kind !== 'deployment')
    return settle(ctx, treasury, action, { state: 'failed', problem: error.message });
  const isForPeople = isRefused || error instanceof AppError;
  const problem = isForPeople ? error.message : 'The chain of the wallets cannot be reached.';
  await ctx.db.transaction('system', async (tx) => {
    await updateAction(tx, action.id, { problem, updated_at: ctx.clock() });
    await announceAction(tx, treasury, action);
    if (!isForPeople) return;
    const options = { uniqueKey: action.id, delaySeconds: tryAgainSeconds };
    await enqueue(tx, confirmation, { actionId: action.id }, options);
  });
  if (!isForPeople) throw error;
}

async function prepare(ctx: SendContext, { safes, treasury, action, state }: OpenAction): Promise<PreparedTransaction> {
  const key = await payerKey(ctx);
  const { call, signature } = action;
  if (action.kind === 'deployment') {
    const holder = { kind: treasury.kind, id: treasury.holder_id };
    return safes.prepareDeployment({ owner: treasury.owner_address, saltNonce: saltNonceOf(holder) }, key);
  }
  if (call === null || signature === null) throw new Error('An unsigned transfer cannot be sent.');
  const { nonce } = state;
  const transaction = { ...call, value: BigInt(call.value), safe: treasury.safe_address, nonce, leastGas };
  return safes.prepareTransaction(transaction, signature, key);
}

/** Stores the transaction and charges its maximum cost to the budgets, before it is sent. */
async function setPaid(
  ctx: SendContext,
  { treasury, action }: OpenAction,
  { hash, maxCost }: PreparedTransaction,
): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    const [coin, caller_id] = [coinOf(treasury.chain_id), action.requested_by_id];
    await reserveSpending(ctx, tx, { coin, reference: action.id, caller_id, amount: maxCost });
    await updateAction(tx, action.id, {
      tx_hashes: [...action.tx_hashes, hash],
      problem: null,
      updated_at: ctx.clock(),
    });
  });
}

// An earlier transaction may still have been paid for.
async function giveBack(ctx: SendContext, { treasury, action }: OpenAction, error: unknown): Promise<never> {
  if (error instanceof SafesRefusal && action.tx_hashes.length === 0)
    await releaseSpending(ctx.db.system, { coin: coinOf(treasury.chain_id), reference: action.id });
  throw error;
}

async function setSent(ctx: SendContext, { treasury, action }: OpenAction): Promise<void> {
  const { id } = action;
  await ctx.db.transaction('system', async (tx) => {
    await announceAction(tx, treasury, action);
    await updateAction(tx, id, { state: 'sent', updated_at: ctx.clock() });
    await enqueue(tx, confirmation, { actionId: id }, { uniqueKey: id });
  });
}

/** A node may not know for a while what another one has accepted. */
const patientTries = 5;

/** Confirms an action after it was sent, and sends it again if the chain dropped it. */
export async function confirmAction(ctx: SendContext, actionId: string, attempt: number): Promise<void> {
  const open = await openAction(ctx, actionId);
  if (open === undefined) return;
  const { safes, treasury, action } = open;
  const last = action.tx_hashes.at(-1);
  const sendAnew = () => ctx.db.transaction('system', (tx) => enqueueSending(tx, treasury, action.id));
  if (last === undefined) return sendAnew();
  const outcome = await safes.outcomeOf(last);
  if (outcome === 'reverted')
    return settle(ctx, treasury, action, {
      state: 'failed',
      txHash: last,
      problem: 'The chain rejected the transaction. Nothing was transferred.',
    });
  if (outcome !== 'unknown' || attempt < patientTries)
    throw new StillWaiting('The transaction has not been mined yet.');
  ctx.log.warn('A wallet transaction was lost; sending it again.', { action: action.id });
  await sendAnew();
}

/** Returns the next step; undefined if the action is gone or, according to the chain, finished. */
async function openAction(ctx: SendContext, actionId: string): Promise<OpenAction | undefined> {
  const action = await findAction(ctx.db.system, actionId);
  if (action === undefined || (action.state !== 'waiting' && action.state !== 'sent')) return undefined;
  const treasury = await findTreasury(ctx.db.system, action.safe_address);
  if (treasury === undefined) return undefined;
  const safes = getSafes(ctx, treasury.chain_id);
  const state = await safes.readState(treasury.safe_address);
  const settlement = await findSettlement(safes, action, state);
  if (settlement === undefined) return { safes, treasury, action, state };
  await settle(ctx, treasury, action, settlement);
  return undefined;
}

type SettleContext = Pick<Context, 'clock' | 'db'>;

interface Settlement {
  state: 'done' | 'failed';
  txHash?: string | undefined;
  problem?: string;
}

/** Returns how an action ended on the chain; undefined while it has not happened. */
async function findSettlement(safes: Safes, action: ActionRow, state: SafeState): Promise<Settlement | undefined> {
  const happened = action.kind === 'deployment' ? state.isDeployed : state.nonce > BigInt(action.nonce ?? 0);
  if (!happened) return undefined;
  for (const txHash of action.tx_hashes.toReversed()) {
    const outcome = await safes.outcomeOf(txHash);
    if (outcome === 'done') return { state: 'done', txHash };
    if (outcome === 'failed')
      return { state: 'failed', txHash, problem: 'The transfer was mined but failed. Nothing was transferred.' };
  }
  // Anyone who sees a signed transaction can send it, and anyone can deploy a Safe: it happened, in a transaction of
  // someone else.
  return { state: 'done' };
}

/** Records how an action ended, and continues what waited for it. */
async function settle(
  ctx: SettleContext,
  treasury: TreasuryRow,
  action: ActionRow,
  { state, txHash, problem }: Settlement,
): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    await lockTreasury(tx, treasury.safe_address);
    const updated_at = ctx.clock();
    await updateAction(tx, action.id, { state, tx_hash: txHash ?? null, problem: problem ?? null, updated_at });
    if (action.kind === 'handoff' && state === 'done' && action.content.newOwner !== undefined)
      await setHandedOver(tx, treasury.safe_address, action.content.newOwner);
    await announceAction(tx, treasury, action);
    if (action.kind !== 'deployment') return;
    const move = await findOpen(tx, treasury.safe_address, 'move');
    if (move === undefined) return;
    if (state === 'done') await enqueueSending(tx, treasury, move.id);
    else await updateAction(tx, move.id, { state: 'failed', problem: 'The wallet could not be deployed.', updated_at });
  });
}

/** Notifies pages that show a wallet of a change. */
function announceAction(db: Sql, { kind, holder_id }: TreasuryRow, { requested_by_id }: ActionRow): Promise<void> {
  return announce(db, {
    changed: 'wallets',
    accounts: [requested_by_id],
    ...(kind === 'community' && { community: holder_id }),
  });
}

const retry = exponentialRetry(60, 1, 3_600);

const send = job(sending.name, { payload: sending.payload, retry, timeoutSeconds: 60 }, (ctx: Context, { actionId }) =>
  sendAction(ctx, actionId),
);

const confirm = job(
  confirmation.name,
  { payload: confirmation.payload, retry, timeoutSeconds: 60 },
  (ctx: Context, { actionId }, { attempt }) => confirmAction(ctx, actionId, attempt),
);

export const treasuryJobs = [send, confirm] as const;
