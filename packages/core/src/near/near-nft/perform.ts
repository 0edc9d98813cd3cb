import { AppError, addMs, notFound, principalId } from '@latchkey/kernel';
import type { Near, NearDraft, NearSigned, NearStep } from '../../ports/index.ts';
import { accountsOf } from './contract-queries.ts';
import { type NearContext, requireNear } from './near-setup.ts';
import { findIntents, findTransaction, insertIntent, type NearIntentRow } from './queries.ts';
import { hashOfRequest, type Sent, sendOnce, sendSigned } from './send-once.ts';
import type { NearToSign } from './to-sign.ts';

const intentTtlMs = 24 * 60 * 60 * 1000;
const maxTransactions = 4;

/** An account's planned operation, and the chain state it depends on. */
export interface PreparedNearOperation {
  transactions: readonly { receiverId: string; steps: readonly NearStep[] }[];
  seen: Readonly<Record<string, unknown>>;
}

export interface NearOperation {
  operation: string;
  request: unknown;
  signerId: string;
  /** The signatures, if the caller sent them. */
  signatures: string | undefined;
  /** Reads the chain and decides; throws if the operation is not possible. */
  prepare(near: Near): Promise<PreparedNearOperation>;
}

export type Performed =
  | { kind: 'to-sign'; toSign: NearToSign[]; seen: PreparedNearOperation['seen'] }
  | ({ kind: 'sent'; seen: PreparedNearOperation['seen'] } & Sent);

/**
 * Performs an operation of an account. Its holder signs: the first request returns what to sign, the second one has the
 * signatures. A repeated request that was already sent returns its outcome.
 */
export async function perform(ctx: NearContext, operation: NearOperation): Promise<Performed> {
  const near = requireNear(ctx);
  if (operation.signerId === near.account.id) return performOwn(ctx, near, operation);
  if (operation.signatures === undefined) return askToSign(ctx, near, operation);
  const { intent, signed } = await matchSignatures(ctx, near, operation, operation.signatures);
  const begun = await findTransaction(ctx.db.system, near.network, signed[0]?.hash ?? '');
  if (begun === undefined) requireSame(intent, await operation.prepare(near));
  let last: Sent | undefined;
  for (const transaction of signed) last = await sendSigned(ctx, transaction);
  if (last === undefined) throw new Error('An intent has no transactions.');
  return { kind: 'sent', seen: intent.seen, ...last };
}

/** The server signs only for its own account, when the operator allows it. */
async function performOwn(
  ctx: NearContext,
  near: Near,
  { operation, request, prepare }: NearOperation,
): Promise<Performed> {
  if (ctx.actor.kind !== 'admin' && ctx.actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', `Only the operator can act as ${near.account.id}.`);
  const { transactions, seen } = await prepare(near);
  let last: Sent | undefined;
  for (const { receiverId, steps } of transactions)
    last = await sendOnce(ctx, { purpose: `${operation}/${ctx.random.id()}`, request, receiverId, steps });
  if (last === undefined) throw new Error('An operation has no transactions.');
  return { kind: 'sent', seen, ...last };
}

async function askToSign(ctx: NearContext, near: Near, operation: NearOperation): Promise<Performed> {
  const { transactions, seen } = await operation.prepare(near);
  const { signerId } = operation;
  const key = await chooseKey(ctx, near, signerId);
  const blockHash = await near.finalBlockHash();
  const drafts = transactions.map(
    ({ receiverId, steps }, index): NearDraft => ({
      signerId,
      publicKey: key.publicKey,
      nonce: key.nonce + 1 + index,
      receiverId,
      blockHash,
      steps,
    }),
  );
  const intent = { id: ctx.random.id(), ...scopeOf(ctx, near, operation), drafts, seen, created_at: ctx.clock() };
  await ctx.tx((tx) => insertIntent(tx, intent));
  return { kind: 'to-sign', toSign: drafts.map((draft) => writeDraft(near, draft)), seen };
}

function scopeOf({ actor }: NearContext, { network }: Near, { operation, request }: NearOperation) {
  return { network, created_by_id: principalId(actor), operation, request_hash: hashOfRequest(request) };
}

function writeDraft(near: Near, draft: NearDraft): NearToSign {
  const { steps, ...rest } = draft;
  const { bytes, hash } = near.encode(draft);
  return {
    ...rest,
    actions: steps.map((step) => ({ ...step })),
    transaction: Buffer.from(bytes).toString('base64'),
    hash,
  };
}

/** Returns the key that its holder registered here, otherwise any with full access: no other key can attach funds. */
async function chooseKey(ctx: NearContext, near: Near, accountId: string) {
  const keys = (await near.keysOf(accountId)).filter(
    (key) => key.only === undefined && near.isPublicKey(key.publicKey),
  );
  if (keys.length === 0) throw notFound('NEAR account with a full-access key');
  const registered = await accountsOf(ctx.db.system, near.network, principalId(ctx.actor));
  const mine = registered.find((account) => account.account_id === accountId)?.public_key;
  const chosen = keys.find((key) => key.publicKey === mine) ?? keys[0];
  if (chosen === undefined) throw notFound('NEAR account with a full-access key');
  return chosen;
}

async function matchSignatures(
  ctx: NearContext,
  near: Near,
  operation: NearOperation,
  signatures: string,
): Promise<{ intent: NearIntentRow; signed: NearSigned[] }> {
  const parts = signatures.split(',', maxTransactions + 1).map((part) => Buffer.from(part.trim(), 'base64'));
  const since = addMs(ctx.clock(), -intentTtlMs);
  for (const intent of await findIntents(ctx.db.system, scopeOf(ctx, near, operation), since)) {
    if (intent.drafts.length !== parts.length) continue;
    const signed = intent.drafts.flatMap(
      (draft, index) => matchOne(near, draft, parts[index] ?? Buffer.alloc(0)) ?? [],
    );
    if (signed.length === parts.length) return { intent, signed };
  }
  throw new AppError(
    'INVALID_CREDENTIAL',
    'x-near-signature does not match the transactions of this request. Send the request without it, sign each transaction in toSign, and send it again with the signatures.',
  );
}

function matchOne(near: Near, draft: NearDraft, bytes: Uint8Array): NearSigned | undefined {
  return bytes.length === 64 ? near.attach(draft, bytes) : near.readSigned(bytes, draft);
}

function requireSame(intent: NearIntentRow, { seen }: PreparedNearOperation): void {
  if (JSON.stringify(intent.seen) === JSON.stringify(seen)) return;
  const changed = Object.keys({ ...intent.seen, ...seen }).filter(
    (name) => JSON.stringify(intent.seen[name]) !== JSON.stringify(seen[name]),
  );
  throw new AppError(
    'STATE_CONFLICT',
    `Since this was signed, the ${changed.join(' and the ')} changed on the chain. Nothing was sent. Send the request again without signatures.`,
  );
}
