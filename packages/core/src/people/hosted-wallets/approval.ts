import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { digestOf, type Purpose, stepUpNeeded } from '../../machinery/signer/index.ts';
import { type AuthenticationOptions, generateApprovalOptions, listCredentials } from '../webauthn/index.ts';
import { countApprovals, deleteApproval, findApproval, upsertApproval } from './approval-queries.ts';
import { type Description, describeText, describeTypedData } from './describe-typed-data.ts';
import { canApprove, stepUp } from './step-up.ts';
import { readTypedData } from './typed-data.ts';

type ApprovalContext = Pick<Context, 'clock' | 'db' | 'evmDigests' | 'keyring' | 'random' | 'settings' | 'tx'>;

/** What somebody asks a wallet to sign, and in whose name. */
export interface Asked {
  userId: string;
  address: string;
  clientId: string | undefined;
  purpose: Purpose;
  text: string;
  /** What people are shown instead of the fields of the text. */
  description?: Description;
}

/** A proof that the user approved one digest. */
export interface Approval {
  digest: string;
  provedAt: Date;
}

/** What a person is shown before they approve, in the details of the refusal that asks for it. */
export interface ApprovalDetails extends Description {
  /** What will be signed, as 0x and 64 hexadecimal digits. */
  digest: string;
  expiresAt: string;
  /** For navigator.credentials.get(); absent without a passkey that counts. */
  passkeyOptions?: AuthenticationOptions;
}

export const approvalTtlSeconds = 5 * 60;
const maxPending = 20;

/**
 * Has the user's approval of exactly this, or asks for it. A passkey answers a challenge that is a hash over the digest,
 * the user, the wallet and the application. A code of an app can carry none of that, so it counts only for what the same
 * application has announced before. Either approves once.
 */
export async function getApproval(ctx: ApprovalContext, asked: Asked, otp: string | undefined): Promise<Approval> {
  const digest = Buffer.from(await digestOf(ctx.evmDigests, asked.purpose, asked.text)).toString('hex');
  const key = keyOf(asked, digest);
  if (otp === undefined) throw await askForApproval(ctx, asked, digest, stepUpNeeded().message);
  const isAnnounced = await ctx.tx((tx) => findApproval(tx, key, ctx.clock()));
  if (!isAnnounced) throw await askForApproval(ctx, asked, digest, notAnnounced);
  await stepUp(ctx, asked.userId, otp, { mustRest: true, boundTo: boundTo(asked, digest) });
  // Of two proofs for one announcement, one is used.
  if (!(await ctx.tx((tx) => deleteApproval(tx, key)))) throw await askForApproval(ctx, asked, digest, notAnnounced);
  return { digest, provedAt: ctx.clock() };
}

const notAnnounced =
  'This was not announced in the last five minutes, or it was signed since. Show the details to the person and send a new proof in otp.';

/** The refusal that tells a client what to show and how to have it approved. */
async function askForApproval(ctx: ApprovalContext, asked: Asked, digest: string, message: string): Promise<AppError> {
  return new AppError('INVALID_OTP', message, { details: await announce(ctx, asked, digest) });
}

/** Announces what the user will be asked to approve, for those who show it before they ask for a proof. */
export async function announceApproval(ctx: ApprovalContext, asked: Asked): Promise<ApprovalDetails> {
  const digest = await digestOf(ctx.evmDigests, asked.purpose, asked.text);
  return announce(ctx, asked, Buffer.from(digest).toString('hex'));
}

async function announce(ctx: ApprovalContext, asked: Asked, digest: string): Promise<ApprovalDetails> {
  const now = ctx.clock();
  const expiresAt = new Date(now.getTime() + approvalTtlSeconds * 1000);
  const passkeys = await ctx.tx(async (tx) => {
    const key = keyOf(asked, digest);
    if ((await countApprovals(tx, key, now)) >= maxPending)
      throw new AppError('RATE_LIMITED', 'Too much waits for your approval. Try again in a few minutes.', {
        retryAfterSeconds: approvalTtlSeconds,
      });
    await upsertApproval(tx, { ...key, created_at: now, expires_at: expiresAt });
    return listCredentials(tx, asked.userId, undefined);
  });
  const passkeyOptions = await generateApprovalOptions(ctx, {
    userId: asked.userId,
    boundTo: boundTo(asked, digest),
    passkeys: passkeys.filter((passkey) => passkey.suspicious_at === null && canApprove(ctx, passkey)),
  });
  return {
    digest: `0x${digest}`,
    expiresAt: expiresAt.toISOString(),
    ...(asked.description ?? describe(asked)),
    ...(passkeyOptions !== undefined && { passkeyOptions }),
  };
}

function keyOf({ userId, clientId }: Asked, digest: string) {
  return { user_id: userId, client_id: clientId ?? '', digest };
}

/** One line over all that an approval is for. Encoded, so that no two of them make the same line. */
function boundTo({ userId, address, clientId }: Asked, digest: string): string {
  return `sign:0x${digest}:${address.toLowerCase()}:${encodeURIComponent(userId)}:${encodeURIComponent(clientId ?? '')}`;
}

function describe({ purpose, text }: Asked): Description {
  switch (purpose) {
    case 'typed-data':
      return describeTypedData(readTypedData(text));
    case 'hash':
      return {
        summary: [`Hash: ${text}`],
        warnings: ['Nobody can see what a hash stands for. It can be a login, an order or a transaction.'],
      };
    case 'message':
      return { summary: describeText(text), warnings: [] };
  }
}
