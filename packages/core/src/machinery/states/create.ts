import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { ownRedirectTarget } from './redirect-target.ts';
import { keepContent, type ShortLink } from './slug.ts';

export const stateTtlSeconds = 15 * 60;
export const maxStateBytes = 64 * 1024;

type CreateContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'statement'>;

export async function createState(ctx: CreateContext, { body }: { body: Record<string, unknown> }): Promise<ShortLink> {
  checkSize(body);
  const location = typeof body.url === 'string' ? await ownRedirectTarget(ctx, body.url) : null;
  return ctx.statement((tx) => keepContent(ctx, tx, { kind: 'state', state: body, location }, stateTtlSeconds));
}

/** Keeps a state for a feature, longer than callers may. */
export async function keepState(
  ctx: Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'settings'>,
  tx: Tx,
  state: Record<string, unknown>,
  ttlSeconds: number,
): Promise<ShortLink> {
  checkSize(state);
  return keepContent(ctx, tx, { kind: 'state', state, location: null }, ttlSeconds);
}

function checkSize(state: Record<string, unknown>): void {
  if (Buffer.byteLength(JSON.stringify(state)) <= maxStateBytes) return;
  throw new AppError(
    'BODY_TOO_LARGE',
    `A state holds up to ${maxStateBytes} bytes; keep what is larger on your own side.`,
  );
}

/** A short link to an address of the feature's own choice. An address that came from a caller must be checked first. */
export async function createSlug(
  ctx: Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'settings'>,
  tx: Tx,
  { url, ttlSeconds }: { url: string; ttlSeconds: number },
): Promise<ShortLink> {
  return keepContent(ctx, tx, { kind: 'redirect', location: new URL(url).href }, ttlSeconds);
}
