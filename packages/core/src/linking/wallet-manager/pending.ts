import { hashSecret, type Tx } from '@latchkey/db';
import { type Actor, addSeconds, principalId } from '@latchkey/kernel';
import { linkTtlSeconds } from '../../identity/wallets/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import type { NewLink, VerifiedChallenge } from '../wallet-links/index.ts';
import { findStep, insertStep, type PendingRow, takeStep } from './queries.ts';

/** The content of a pending step, by its kind. */
export interface PendingContent {
  /** A proven wallet that another account has. */
  reset: { link: NewLink };
  /** Proxies of a proven wallet, one of which is to be chosen. */
  proxy: { links: NewLink[]; proxyType: string; signer: string };
  /** A code that a public profile has to show. */
  'magic-code': { marketplace: string; address: string };
  /** A request to the tokenproof app. */
  tokenproof: { nonce: string };
}
export type PendingKind = keyof PendingContent;

export interface Pending<Kind extends PendingKind> {
  /** The user of the step. */
  user: Context;
  content: PendingContent[Kind];
}

type Person = Extract<Actor, { kind: 'user' }>;

export const pendingTtlSeconds = linkTtlSeconds;

interface PendingKey {
  key: string;
  expiresAt: Date;
}

/** Stores what the next step needs, behind a key that only the caller gets. It survives restarts. */
export function keepPending<Kind extends PendingKind>(
  ctx: Context,
  kind: Kind,
  content: PendingContent[Kind],
  key: string = ctx.random.id(32),
): Promise<PendingKey> {
  return ctx.tx((tx) => putStep(ctx, tx, { kind, content, key }));
}

/**
 * The same for something that was just proven. Returns undefined if the message that proved it was consumed meanwhile.
 */
export function keepProvenStep<Kind extends PendingKind>(
  ctx: Context,
  challenge: VerifiedChallenge | undefined,
  kind: Kind,
  content: PendingContent[Kind],
): Promise<PendingKey | undefined> {
  return ctx.tx(async (tx) => {
    if (challenge !== undefined && !(await challenge.useUp(tx))) return undefined;
    return putStep(ctx, tx, { kind, content, key: ctx.random.id(32) });
  });
}

async function putStep<Kind extends PendingKind>(
  ctx: Context,
  tx: Tx,
  { kind, content, key }: { kind: Kind; content: PendingContent[Kind]; key: string },
): Promise<PendingKey> {
  const keyHash = hashSecret(key);
  const createdAt = ctx.clock();
  const expiresAt = addSeconds(createdAt, pendingTtlSeconds);
  await insertStep(tx, {
    key_hash: keyHash,
    kind,
    user_id: principalId(ctx.actor),
    content: ctx.keyring.seal(pendingPlace(keyHash), JSON.stringify({ actor: ctx.actor, content })),
    created_at: createdAt,
    expires_at: expiresAt,
  });
  return { key, expiresAt };
}

/**
 * Returns the pending step of a key, without consuming it. Anyone who knows a key may use it, so this bypasses the row
 * policies.
 */
export async function findPending<Kind extends PendingKind>(
  ctx: Context,
  kind: Kind,
  key: string,
): Promise<Pending<Kind> | undefined> {
  return open(ctx, await findStep(ctx.db.system, kind, hashSecret(key), ctx.clock()));
}

/** Returns the pending step of a key and consumes it. */
export async function takePending<Kind extends PendingKind>(
  ctx: Context,
  kind: Kind,
  key: string,
): Promise<Pending<Kind> | undefined> {
  return open(ctx, await takeStep(ctx.db.system, kind, hashSecret(key), ctx.clock()));
}

function open<Kind extends PendingKind>(ctx: Context, row: PendingRow | undefined): Pending<Kind> | undefined {
  if (row === undefined) return undefined;
  // Sealed text is authenticated: it can only be what keepPending wrote.
  const { actor, content } = JSON.parse(ctx.keyring.openText(pendingPlace(row.key_hash), row.content)) as {
    actor: Person;
    content: PendingContent[Kind];
  };
  return { user: contextFor(ctx, actor), content };
}

export function pendingPlace(keyHash: string): string {
  return `wallet_pending_steps.content:${keyHash}`;
}
