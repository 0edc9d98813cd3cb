import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable, type Sql, type Tx } from '@latchkey/db';
import { AppError, addSeconds, notFound, observed } from '@latchkey/kernel';
import type { EvmDigests } from '../../ports/index.ts';
import { effectHere } from './own-texts.ts';
import {
  deleteExpired,
  findKey,
  findOldestOf,
  insertKey,
  insertSignature,
  isSigned,
  type KeyRow,
  lockKey,
  lockPending,
  type PendingRequest,
  writeAnswer,
} from './queries.ts';
import {
  answerTopic,
  approvedPurposes,
  clockSkewSeconds,
  type KeyMade,
  type Purpose,
  purposeOf,
  type Refused,
  requestTopic,
  requestTtlSeconds,
  type Signed,
} from './request.ts';
import { keyPlace, type SignerContext, type SigningPolicy } from './signer-context.ts';

const idlePauseMs = 1_000;
const keptSeconds = 60;

export interface ServedRequests {
  stop(): Promise<void>;
}

/**
 * Answers requests until stopped: at once when the bus announces one, and by polling every second in case it does not.
 */
export function serveRequests(ctx: SignerContext): ServedRequests {
  const ended = new AbortController();
  let wake = new AbortController();
  const hear = () => wake.abort();
  const ends = [ctx.bus.subscribe(requestTopic, hear), ctx.bus.onReconnect(hear)];

  async function step(): Promise<boolean> {
    if (await answerNext(ctx)) return true;
    await deleteExpired(ctx.db.system, addSeconds(ctx.clock(), -keptSeconds));
    return false;
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!ended.signal.aborted) {
      wake = new AbortController();
      const hasMore = await step().then(
        (result) => {
          failures = 0;
          return result;
        },
        (error: unknown) => {
          failures += 1;
          // An hour without a database logs one line, not one per attempt.
          ctx.log[failures === 1 ? 'warn' : 'debug']('Failed to read requests; retrying.', { error });
          return false;
        },
      );
      if (hasMore) continue;
      const signal = failures > 0 ? ended.signal : AbortSignal.any([ended.signal, wake.signal]);
      await delay(idlePauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  const done = loop();
  return {
    stop: async () => {
      for (const end of ends) end();
      ended.abort();
      await done;
    },
  };
}

/**
 * Answers the oldest request, and returns whether there was one. The response, the record and what they are based on
 * are one transaction: a signer that is killed halfway has done nothing, and the next one answers instead.
 */
export async function answerNext(ctx: SignerContext): Promise<boolean> {
  let taken: string | undefined;
  try {
    return await ctx.db.system.transaction().execute(async (tx) => {
      const now = ctx.clock();
      const request = await lockPending(tx, now);
      if (request === undefined) return false;
      taken = request.id;
      await answer(ctx, tx, request.id, await decide(ctx, tx, request, now));
      return true;
    });
  } catch (error) {
    if (taken === undefined || isUnavailable(error)) throw error;
    // Otherwise it would be the oldest one again, and block all others.
    ctx.log.error('Failed to answer a request.', { request: taken, error });
    await answer(ctx, ctx.db.system, taken, fault);
    return true;
  }
}

const fault: Refused = { code: 'INTERNAL_ERROR', message: 'The signer could not use the key of this wallet.' };

async function answer(ctx: SignerContext, sql: Sql, id: string, outcome: KeyMade | Signed | Refused): Promise<void> {
  const state = 'code' in outcome ? 'refused' : 'done';
  await writeAnswer(sql, id, state, outcome);
  await ctx.bus.publish(sql, answerTopic, { id });
  observed.signature.record({ outcome: state });
}

async function decide(
  ctx: SignerContext,
  tx: Tx,
  request: PendingRequest,
  now: Date,
): Promise<KeyMade | Signed | Refused> {
  try {
    assertTimely(request, now);
    return request.kind === 'make-key' ? await makeKey(ctx, tx, request) : await sign(ctx, tx, request, now);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, retryAfterSeconds, details } = error;
    ctx.log.info('A request was refused.', { request: request.id, refusal: code });
    return {
      code,
      message,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(details !== undefined && { details }),
    };
  }
}

/** Creates the one key of a user, or returns the existing one. */
async function makeKey(ctx: SignerContext, tx: Tx, request: PendingRequest): Promise<KeyMade> {
  const known = await findKey(tx, request.user_id);
  if (known === undefined) await insertKey(tx, newKey(ctx, request));
  const key = known ?? (await findKey(tx, request.user_id));
  if (key === undefined) throw new AppError('STATE_CONFLICT', 'The wallet was removed while it was being created.');
  return { address: key.address, publicKey: key.public_key, tokenId: ctx.evmKeys.tokenIdOf(key.public_key) };
}

function newKey(ctx: SignerContext, request: PendingRequest) {
  const { user_id: userId, wallet_id: walletId } = request;
  if (walletId === null) throw new Error('A key request does not specify a wallet.');
  const { privateKey, address, publicKey } = ctx.evmKeys.createKey(ctx.random);
  try {
    return {
      user_id: userId,
      wallet_id: walletId,
      address,
      public_key: publicKey,
      private_key: ctx.keyring.seal(keyPlace({ walletId, userId }), privateKey),
      created_at: ctx.clock(),
    };
  } finally {
    privateKey.fill(0);
  }
}

/** Signs a request once, only with the key of the user it names. */
async function sign(ctx: SignerContext, tx: Tx, request: PendingRequest, now: Date): Promise<Signed> {
  const { id, user_id, address, purpose, text, client_id } = request;
  if (address === null || purpose === null || text === null) throw new Error('A signing request is incomplete.');
  await assertPurpose(ctx, { purpose, text });
  const digest = await digestOf(ctx.evmKeys, purpose, text);
  const digestHex = Buffer.from(digest).toString('hex');
  assertAllowed(ctx, { ...request, purpose, text }, digestHex);
  const key = await lockKey(tx, user_id);
  if (key === undefined || key.address.toLowerCase() !== address.toLowerCase()) throw notFound('hosted wallet');
  if (await isSigned(tx, id)) throw new AppError('STATE_CONFLICT', 'This request has already been signed.');
  await assertWithinLimits(ctx, tx, { user_id, purpose }, now);
  const signature = useKey(ctx, key, digest);
  await insertSignature(tx, {
    request_id: id,
    user_id,
    address: key.address,
    purpose,
    text,
    digest: digestHex,
    client_id,
    signed_at: now,
  });
  return { signature };
}

/** The key is in memory only for the duration of this call. */
function useKey(ctx: SignerContext, key: KeyRow, digest: Uint8Array): string {
  const place = keyPlace({ walletId: key.wallet_id, userId: key.user_id });
  const privateKey = ctx.keyring.open(place, key.private_key);
  try {
    return ctx.evmKeys.sign(privateKey, digest);
  } finally {
    privateKey.fill(0);
  }
}

/** Returns the 32 bytes to sign for a text. */
export async function digestOf(digests: EvmDigests, purpose: Purpose, text: string): Promise<Uint8Array> {
  switch (purpose) {
    case 'message':
      return digests.textDigest(text);
    case 'hash':
      return Buffer.from(text.slice(2), 'hex');
    case 'typed-data': {
      const digest = await digests.typedDataDigest(text);
      if (digest === undefined) throw notTypedData();
      return digest;
    }
  }
}

const minuteSeconds = 60;
const daySeconds = 24 * 60 * 60;

/** Refuses a request that has expired or is from the future. The caller cannot choose a longer lifetime. */
function assertTimely({ created_at, expires_at }: PendingRequest, now: Date): void {
  const [createdMs, expiresMs, nowMs] = [created_at.getTime(), expires_at.getTime(), now.getTime()];
  const isTimely =
    Math.abs(nowMs - createdMs) <= (requestTtlSeconds + clockSkewSeconds) * 1000 &&
    expiresMs - createdMs <= requestTtlSeconds * 1000;
  if (!isTimely)
    throw new AppError('UNAVAILABLE', 'The request is too old or in the future. The servers’ clocks may differ.');
}

/** Refuses sign-in texts, and texts that their user must approve and has not. `digest` is what would be signed. */
function assertAllowed(
  ctx: Pick<SignerContext, 'policy'>,
  request: PendingRequest & { purpose: Purpose; text: string },
  digest: string,
): void {
  const { user_id: userId, purpose, text } = request;
  if (verifyText({ userId, purpose, text }, ctx.policy).needsApproval && !isApproved(request, digest))
    throw stepUpNeeded();
}

/** The text determines its purpose, not the request. */
async function assertPurpose(
  ctx: Pick<SignerContext, 'evmKeys'>,
  { purpose, text }: { purpose: Purpose; text: string },
): Promise<void> {
  const found = purposeOf(text);
  if (found === 'unreadable') throw unreadable(await ctx.evmKeys.isTransaction(text.trim()));
  if (found !== purpose) throw new AppError('STATE_CONFLICT', 'The text does not match the declared purpose.');
}

function isApproved(
  {
    stepped_up_at,
    approved_digest,
    created_at,
  }: Pick<PendingRequest, 'stepped_up_at' | 'approved_digest' | 'created_at'>,
  digest: string,
): boolean {
  if (stepped_up_at === null || approved_digest !== digest) return false;
  // The proof belongs to this request only, so it cannot be much older than the request.
  return Math.abs(created_at.getTime() - stepped_up_at.getTime()) <= requestTtlSeconds * 1000;
}

interface Window {
  limit: number;
  seconds: number;
  name: string;
  purposes?: readonly Purpose[];
}

/** Enforces the operator's limits per minute and day, and a separate one for typed data and hashes. */
async function assertWithinLimits(
  ctx: SignerContext,
  tx: Tx,
  { user_id: userId, purpose }: { user_id: string; purpose: Purpose },
  now: Date,
): Promise<void> {
  const { maxPerMinute, maxPerDay, maxTypedPerDay } = ctx.policy;
  const windows: Window[] = [
    { limit: maxPerDay, seconds: daySeconds, name: 'times a day' },
    { limit: maxPerMinute, seconds: minuteSeconds, name: 'times a minute' },
  ];
  if (approvedPurposes.includes(purpose))
    windows.push({
      limit: maxTypedPerDay,
      seconds: daySeconds,
      name: 'typed data and hashes a day',
      purposes: approvedPurposes,
    });
  for (const { limit, seconds, name, purposes } of windows) {
    const since = addSeconds(now, -seconds);
    const oldest = await findOldestOf(tx, userId, { limit, since, purposes });
    if (oldest === undefined) continue;
    throw new AppError('RATE_LIMITED', `A hosted wallet can sign up to ${limit} ${name}. Try again later.`, {
      retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() + seconds * 1000 - now.getTime()) / 1000)),
    });
  }
}

interface TextToSign {
  userId: string;
  purpose: Purpose;
  text: string;
}

/**
 * Refuses what a wallet must never sign, and returns whether its user must approve this exact text. Servers check
 * before they ask the user, and the signer checks again by its own configuration.
 */
export function verifyText(
  { userId, purpose, text }: TextToSign,
  { allowsHashes, ownHosts }: Pick<SigningPolicy, 'allowsHashes' | 'ownHosts'>,
): { needsApproval: boolean } {
  if (purpose === 'hash') {
    if (!allowsHashes) throw hashesOff();
    return { needsApproval: true };
  }
  const effect = effectHere(text, { userId, hosts: ownHosts });
  if (effect === 'login') throw logsInHere();
  if (effect === 'foreign-link') throw linksElsewhere();
  return { needsApproval: purpose === 'typed-data' || effect === 'own-link' };
}

function hashesOff(): AppError {
  return new AppError(
    'STATE_CONFLICT',
    'This server does not sign bare hashes, because users cannot see what they sign. Send the message or the typed data itself.',
  );
}

export function stepUpNeeded(): AppError {
  return new AppError(
    'INVALID_OTP',
    'Typed data, bare hashes and messages that link this wallet are signed only with a one-time password or a passkey, in otp.',
  );
}

function logsInHere(): AppError {
  return new AppError(
    'STATE_CONFLICT',
    'This text could let someone log in to this server as you, so hosted wallets do not sign it. Sign in with your chat account or a passkey.',
  );
}

function linksElsewhere(): AppError {
  return new AppError(
    'STATE_CONFLICT',
    'This message links the wallet to another account. A hosted wallet can be linked only to the account it belongs to.',
  );
}

function unreadable(isTransaction: boolean): AppError {
  return malformed(
    'unreadable',
    isTransaction
      ? 'This is a transaction. Hosted wallets sign messages and typed data only.'
      : 'These bytes are not readable text. Send a text, typed data as JSON, or a hash of 32 bytes.',
  );
}

function notTypedData(): AppError {
  return malformed(
    'typed-data',
    'This is not complete typed data (EIP-712). Send domain, types with EIP712Domain, primaryType and message, with no other fields, as JSON.stringify writes them.',
  );
}

function malformed(code: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/message', code, message }] });
}
