import type { Tx } from '@latchkey/db';
import { AppError, addSeconds, isObject } from '@latchkey/kernel';
import { digestOf, type Purpose, stepUpNeeded } from '../../services/signer/index.ts';
import type { Context } from '../../shared/context.ts';
import { type AuthenticationOptions, generateApprovalOptions, listCredentials } from '../webauthn/index.ts';
import { canApprove, stepUp } from './step-up.ts';
import { asInteger, dangersOf, maxDepth, readTypedData, type TypedData } from './typed-data.ts';

type ApprovalContext = Pick<Context, 'clock' | 'db' | 'evmDigests' | 'keyring' | 'log' | 'random' | 'settings' | 'tx'>;

/** What a wallet is to sign, and on whose behalf. */
export interface SigningRequest {
  userId: string;
  address: string;
  clientId: string | undefined;
  purpose: Purpose;
  text: string;
  /** Shown to the user instead of the raw fields of the text. */
  description?: Description;
}

/** A proof that the user approved one digest. */
export interface Approval {
  digest: string;
  provedAt: Date;
}

/** What a user is shown before they approve, in the details of the error that requests it. */
export interface ApprovalDetails extends Description {
  /** The digest to sign, as 0x and 64 hexadecimal digits. */
  digest: string;
  expiresAt: string;
  /** For navigator.credentials.get(); absent without a passkey that may approve. */
  passkeyOptions?: AuthenticationOptions;
}

export const approvalTtlSeconds = 5 * 60;
const maxPending = 20;

/**
 * Verifies that the user approved exactly this, or requests it. A passkey signs a challenge that is a hash of the
 * digest, the user, the wallet and the application. A code of an authenticator app cannot contain any of that, so it is
 * valid only for what the same application has announced before. Either approves once.
 */
export async function getApproval(
  ctx: ApprovalContext,
  request: SigningRequest,
  otp: string | undefined,
): Promise<Approval> {
  const digest = Buffer.from(await digestOf(ctx.evmDigests, request.purpose, request.text)).toString('hex');
  const key = keyOf(request, digest);
  if (otp === undefined) throw await askForApproval(ctx, request, digest, stepUpNeeded().message);
  const isAnnounced = await ctx.tx((tx) => findApproval(tx, key, ctx.clock()));
  if (!isAnnounced) throw await askForApproval(ctx, request, digest, notAnnounced);
  await stepUp(ctx, request.userId, otp, { mustRest: true, boundTo: boundTo(request, digest) });
  // Of two proofs for one announcement, one succeeds.
  if (!(await ctx.tx((tx) => deleteApproval(tx, key)))) throw await askForApproval(ctx, request, digest, notAnnounced);
  return { digest, provedAt: ctx.clock() };
}

const notAnnounced =
  'This approval was not requested in the last five minutes, or was already used. Show the details to the user and send a new proof in otp.';

/** Returns the error that tells a client what to show and how to get it approved. */
async function askForApproval(
  ctx: ApprovalContext,
  request: SigningRequest,
  digest: string,
  message: string,
): Promise<AppError> {
  return new AppError('INVALID_OTP', message, { details: await announce(ctx, request, digest) });
}

/** Announces what the user will be asked to approve, for callers who show it before they request a proof. */
export async function announceApproval(ctx: ApprovalContext, request: SigningRequest): Promise<ApprovalDetails> {
  const digest = await digestOf(ctx.evmDigests, request.purpose, request.text);
  return announce(ctx, request, Buffer.from(digest).toString('hex'));
}

async function announce(ctx: ApprovalContext, request: SigningRequest, digest: string): Promise<ApprovalDetails> {
  const now = ctx.clock();
  const expiresAt = addSeconds(now, approvalTtlSeconds);
  const passkeys = await ctx.tx(async (tx) => {
    const key = keyOf(request, digest);
    if ((await countApprovals(tx, key, now)) >= maxPending)
      throw new AppError('RATE_LIMITED', 'Too many pending approvals. Try again in a few minutes.', {
        retryAfterSeconds: approvalTtlSeconds,
      });
    await upsertApproval(tx, { ...key, created_at: now, expires_at: expiresAt });
    return listCredentials(tx, request.userId, undefined);
  });
  const passkeyOptions = await generateApprovalOptions(ctx, {
    userId: request.userId,
    boundTo: boundTo(request, digest),
    passkeys: passkeys.filter((passkey) => passkey.suspicious_at === null && canApprove(ctx, passkey)),
  });
  return {
    digest: `0x${digest}`,
    expiresAt: expiresAt.toISOString(),
    ...(request.description ?? describe(request)),
    ...(passkeyOptions !== undefined && { passkeyOptions }),
  };
}

function keyOf({ userId, clientId }: SigningRequest, digest: string) {
  return { user_id: userId, client_id: clientId ?? '', digest };
}

/** Returns one line that identifies what an approval is for. Encoded, so that no two requests have the same line. */
function boundTo({ userId, address, clientId }: SigningRequest, digest: string): string {
  return `sign:0x${digest}:${address.toLowerCase()}:${encodeURIComponent(userId)}:${encodeURIComponent(clientId ?? '')}`;
}

function describe({ purpose, text }: SigningRequest): Description {
  switch (purpose) {
    case 'typed-data':
      return describeTypedData(readTypedData(text));
    case 'hash':
      return {
        summary: [`Hash: ${text}`],
        warnings: ['A hash does not show what you are signing. It can be a login, an order or a transaction.'],
      };
    case 'message':
      return { summary: describeText(text), warnings: [] };
  }
}

/** Something that a user was shown and has not approved yet. */
interface ApprovalRow {
  user_id: string;
  client_id: string;
  digest: string;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    hosted_wallet_approvals: ApprovalRow;
  }
}

type ApprovalKey = Pick<ApprovalRow, 'user_id' | 'client_id' | 'digest'>;

/** Counts an application's pending approvals of a user, and deletes expired ones. */
async function countApprovals(
  tx: Tx,
  { user_id: userId, client_id: clientId }: Omit<ApprovalKey, 'digest'>,
  now: Date,
): Promise<number> {
  await tx.deleteFrom('hosted_wallet_approvals').where('user_id', '=', userId).where('expires_at', '<=', now).execute();
  const { count } = await tx
    .selectFrom('hosted_wallet_approvals')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Renews an approval that was shown before. */
async function upsertApproval(tx: Tx, row: ApprovalRow): Promise<void> {
  const { created_at, expires_at } = row;
  await tx
    .insertInto('hosted_wallet_approvals')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'client_id', 'digest']).doUpdateSet({ created_at, expires_at }),
    )
    .execute();
}

async function findApproval(tx: Tx, key: ApprovalKey, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('hosted_wallet_approvals')
    .select('digest')
    .where('user_id', '=', key.user_id)
    .where('client_id', '=', key.client_id)
    .where('digest', '=', key.digest)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

async function deleteApproval(tx: Tx, key: ApprovalKey): Promise<boolean> {
  const result = await tx
    .deleteFrom('hosted_wallet_approvals')
    .where('user_id', '=', key.user_id)
    .where('client_id', '=', key.client_id)
    .where('digest', '=', key.digest)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** A readable description of what is to be signed. */
interface Description {
  summary: string[];
  /** What the signature would let others do, as far as known. */
  warnings: string[];
}

const maxLines = 100;
const maxLetters = 300;

/** Describes the purpose and the content of typed data, field by field. */
export function describeTypedData(data: TypedData): Description {
  const { domain, primaryType, message } = data;
  const fields = [...linesOf('', message)];
  const shown = fields.slice(0, maxLines);
  const left = fields.length - shown.length;
  return {
    summary: [
      ...Object.entries(domain).map(([name, value]) => `${domainLabels[name] ?? `Domain ${name}`}: ${show(value)}`),
      `Type: ${primaryType}`,
      ...shown,
      ...(left > 0 ? [`… and ${left} more fields, which are signed too`] : []),
    ].map(printable),
    warnings: dangersOf(data).map(printable),
  };
}

const domainLabels: Readonly<Record<string, string>> = {
  name: 'For',
  version: 'Version',
  chainId: 'Chain',
  verifyingContract: 'Contract',
};

function* linesOf(name: string, value: unknown, depth = 0): Generator<string> {
  if (depth > maxDepth) {
    yield `${name}: too deeply nested to show`;
  } else if (Array.isArray(value)) {
    if (value.length === 0) yield `${name}: none`;
    for (const [index, item] of value.entries()) yield* linesOf(`${name}[${index}]`, item, depth + 1);
  } else if (isObject(value)) {
    for (const [member, item] of Object.entries(value))
      yield* linesOf(name === '' ? member : `${name}.${member}`, item, depth + 1);
  } else {
    yield `${name}: ${show(value)}${timeOf(name, value)}`;
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const timeNames = /deadline|expir|valid|until|time/i;

/** Formats a number of seconds as a date, if the field's name suggests one. */
function timeOf(name: string, value: unknown): string {
  const seconds = timeNames.test(name) ? asInteger(value) : undefined;
  // From 2001 to 2286: other numbers are not plausible times.
  if (seconds === undefined || seconds < 1_000_000_000n || seconds >= 10_000_000_000n) return '';
  return ` (${new Date(Number(seconds) * 1000).toISOString()})`;
}

/** Describes a text line by line. */
function describeText(text: string): string[] {
  const lines = text.split('\n');
  const left = lines.length - maxLines;
  return [...lines.slice(0, maxLines), ...(left > 0 ? [`… and ${left} more lines, which are signed too`] : [])].map(
    printable,
  );
}

/** Replaces characters that could move the rest of a page or reverse its text. */
function printable(line: string): string {
  const plain = line.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '�');
  return plain.length <= maxLetters
    ? plain
    : `${plain.slice(0, maxLetters).toWellFormed()} … (${plain.length} letters)`;
}
