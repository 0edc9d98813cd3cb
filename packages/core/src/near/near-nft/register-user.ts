import { createHash } from 'node:crypto';
import { AppError, principalId } from '@latchkey/kernel';
import { requireSpender } from '../../money/spending/index.ts';
import type { Near, NearMessage, NearStep } from '../../ports/index.ts';
import { accountsOf, deletePendingAccount, lockMaker, putAccount } from './contract-queries.ts';
import { coinOf, sentNothing } from './cost.ts';
import { invalidField, type NearContext, withNear } from './near-setup.ts';
import type { NearAccountRow } from './queries.ts';
import { sendOnce } from './send-once.ts';
import { finishSignIn, openSignIn } from './sign-in.ts';
import type { UserAccount, UserAccountResult } from './user-records.ts';

/** How many accounts this server makes for one caller: each takes money of its own. */
const maxAccountsMade = 1;

/**
 * Registers a NEAR account as the caller's. An account below that of this server that is not there yet is made; any other
 * must be proven, by a signed message or by a sign-in.
 */
export function registerUser(
  ctx: NearContext,
  { 'x-near-signature': header, body }: { 'x-near-signature'?: string | undefined; body: UserAccount },
): Promise<UserAccountResult> {
  return withNear(ctx, async (near) => {
    const accountId = body.accountId ?? nameFor(ctx, near, body.publicKey);
    for (const key of [body.publicKey, ...(body.extraPublicKeys ?? [])])
      if (!near.isPublicKey(key)) throw invalidField('/publicKey', `${key} is no public key of NEAR`);
    const isBelow =
      accountId.endsWith(`.${near.account.id}`) &&
      accountId.split('.').length === near.account.id.split('.').length + 1;
    const known = (await accountsOf(ctx.db.system, near.network, principalId(ctx.actor))).find(
      (account) => account.account_id === accountId,
    );
    if (known?.origin === 'made') return makeAccount(ctx, near, { ...body, accountId });
    if (isBelow && (await near.findAccount(accountId)) === undefined)
      return makeAccount(ctx, near, { ...body, accountId });
    return proveAccount(ctx, near, { ...body, accountId }, body.signature ?? header);
  });
}

/** The same caller and key always mean the same account, so that a request can be repeated safely. */
function nameFor(ctx: NearContext, near: Near, publicKey: string): string {
  const digest = createHash('sha256')
    .update(`${principalId(ctx.actor)}/${publicKey}`)
    .digest('hex');
  return `u-${digest.slice(0, 16)}.${near.account.id}`;
}

type Named = UserAccount & { accountId: string };

function rowOf(
  ctx: NearContext,
  near: Near,
  body: Named,
  about: Pick<NearAccountRow, 'origin' | 'state' | 'transaction_hash'>,
) {
  return {
    ...about,
    network: near.network,
    account_id: body.accountId,
    created_by_id: principalId(ctx.actor),
    public_key: body.publicKey,
    extra_public_keys: body.extraPublicKeys ?? [],
    created_at: ctx.clock(),
  };
}

function writeAccount({ accountId, publicKey, extraPublicKeys }: Named): UserAccountResult {
  return { accountId, publicKey, ...(extraPublicKeys !== undefined && { extraPublicKeys }) };
}

async function makeAccount(ctx: NearContext, near: Near, body: Named): Promise<UserAccountResult> {
  const keys = [...new Set([body.publicKey, ...(body.extraPublicKeys ?? [])])];
  const row = rowOf(ctx, near, body, { origin: 'made', state: 'pending', transaction_hash: null });
  await reserve(ctx, row);
  const steps: NearStep[] = [
    { kind: 'create-account' },
    { kind: 'transfer', yocto: String(near.setup.accountYocto) },
    ...keys.map((publicKey): NearStep => ({ kind: 'add-full-access-key', publicKey })),
  ];
  const request = { holder: row.created_by_id, keys };
  try {
    const purpose = `account/${body.accountId}`;
    const isThere = async () => (await near.findAccount(body.accountId)) !== undefined;
    const { hash } = await sendOnce(ctx, { purpose, request, receiverId: body.accountId, steps, isThere });
    await ctx.tx((tx) => putAccount(tx, { ...row, state: 'active', transaction_hash: hash }));
    const onChain = await near.keysOf(body.accountId);
    if (!onChain.some((key) => key.publicKey === body.publicKey))
      throw new AppError('STATE_CONFLICT', `The key is not on ${body.accountId}, or not any more.`);
    return { ...writeAccount(body), transactionHash: hash };
  } catch (error) {
    if (error instanceof AppError && sentNothing.includes(error.code)) await deletePendingAccount(ctx.db.system, row);
    throw error;
  }
}

async function reserve(ctx: NearContext, row: NearAccountRow): Promise<void> {
  await ctx.tx(async (tx) => {
    await lockMaker(tx, row.created_by_id);
    const made = (await accountsOf(tx, row.network, row.created_by_id)).filter(({ origin }) => origin === 'made');
    if (made.some(({ account_id }) => account_id === row.account_id)) return;
    requireSpender(ctx, coinOf(row));
    const isOperator = ctx.actor.kind === 'admin' || ctx.actor.kind === 'system';
    if (!isOperator && made.length >= maxAccountsMade)
      throw new AppError('PLAN_LIMIT_REACHED', `This server makes ${maxAccountsMade} NEAR account for a caller.`);
    await putAccount(tx, row);
  });
}

/** The message names the server, the account and the caller, so a signature cannot be used by anybody else. */
function messageFor(ctx: NearContext, { accountId, publicKey }: Named): NearMessage {
  const { host } = new URL(ctx.settings.baseUrl);
  const holder = principalId(ctx.actor);
  const message = `Let ${holder} act for ${accountId} at ${ctx.settings.serviceName} (${host}).`;
  return { message, nonce: createHash('sha256').update(`${message}/${publicKey}`).digest(), recipient: host };
}

async function proveAccount(
  ctx: NearContext,
  near: Near,
  body: Named,
  signature: string | undefined,
): Promise<UserAccountResult> {
  if ((await near.findAccount(body.accountId)) === undefined)
    throw invalidField('/accountId', `must be an account that is there, or one directly below ${near.account.id}`);
  const message = messageFor(ctx, body);
  if (signature === undefined) {
    const nonce = Buffer.from(message.nonce).toString('base64');
    return { ...writeAccount(body), messageToSign: { ...message, nonce }, signIn: await openSignIn(ctx, near) };
  }
  if (/^[0-9A-Za-z]{32}$/.test(signature)) {
    const { accountId, publicKey } = body;
    await finishSignIn(ctx, near, { signInState: signature, accountId, publicKey });
  } else await requireSigned(near, body, message, signature);
  await ctx.tx((tx) =>
    putAccount(tx, rowOf(ctx, near, body, { origin: 'proven', state: 'active', transaction_hash: null })),
  );
  return writeAccount(body);
}

/** Only a key with full access speaks for an account: any site may hold a lesser one. */
async function requireSigned(
  near: Near,
  { accountId, publicKey }: Named,
  message: NearMessage,
  signature: string,
): Promise<void> {
  const isSigned = near.isMessageSigned({ ...message, publicKey, signature: Buffer.from(signature, 'base64') });
  const key = (await near.keysOf(accountId)).find((candidate) => candidate.publicKey === publicKey);
  if (isSigned && key !== undefined && key.only === undefined) return;
  throw new AppError(
    'INVALID_CREDENTIAL',
    isSigned ? `The key has no full access to ${accountId}.` : 'The signature is not one of this message by this key.',
  );
}
