import { hashSecret, type Tx } from '@latchkey/db';
import { AppError, addSeconds, type Random, T } from '@latchkey/kernel';
import { emit } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { type ChangeContext, change } from './change.ts';
import { getKeyHash, type StoredClientApp } from './queries.ts';

const secretLength = 43; // of 62 letters and digits: 256 bits

/** `<client id>.<random>`: the first part identifies the application of a key, the second is the secret. */
export function newApiKey(random: Random, clientId: string): string {
  return `${clientId}.${random.id(secretLength)}`;
}

/** Whether a text has the format of a key, so that other guesses cost no query. */
export function isApiKeyForm(key: string): boolean {
  return /^[0-9A-Za-z]{21}\.[0-9A-Za-z]{43}$/.test(key);
}

export function newClientSecret(random: Random): string {
  return `lk_cs_${random.id(secretLength)}`;
}

/** Replaces the key of an application. The current one works until `oldEndsAt`; without a time it ends now. */
export async function replaceKey(
  ctx: ChangeContext,
  tx: Tx,
  app: StoredClientApp,
  oldEndsAt: Date | undefined,
): Promise<{ changed: StoredClientApp; apiKey: string }> {
  const apiKey = newApiKey(ctx.random, app.id);
  const changed = await change(ctx, tx, app, {
    action: oldEndsAt === undefined ? 'reset-api-key' : 'roll-api-key',
    columns: {
      api_key_hash: hashSecret(apiKey),
      api_key_made_at: ctx.clock(),
      old_api_key_hash: oldEndsAt === undefined ? null : await getKeyHash(tx, app.id),
      old_api_key_ends_at: oldEndsAt ?? null,
    },
  });
  await emit(ctx, tx, 'client-app.api-key-reset', {
    ownerId: app.created_by_id,
    clientId: app.id,
    payload: { clientId: app.id },
  });
  return { changed, apiKey };
}

/** A week: long enough for every deployment, too short for an old secret to be forgotten. */
const maxOverlapSeconds = 7 * 24 * 60 * 60;

export function overlapSeconds(description: string) {
  return T.Optional(T.Integer({ description, format: 'int32', minimum: 0, maximum: maxOverlapSeconds }));
}

/**
 * Returns when the replaced secret ends; undefined for immediately. While an earlier one still works, a second overlap
 * is refused: it would be unclear which of three secrets a program uses.
 */
export function overlapEnd(
  { clock }: Pick<Context, 'clock'>,
  seconds: number | undefined,
  what: 'key' | 'secret',
  presentEnd: Date | null | undefined,
): Date | undefined {
  const now = clock();
  if (seconds === undefined || seconds === 0) return undefined;
  if (presentEnd && presentEnd > now)
    throw new AppError(
      'STATE_CONFLICT',
      `The old ${what} still works until ${presentEnd.toISOString()}. Wait until then, or replace both at once with an overlap of 0 seconds.`,
    );
  return addSeconds(now, seconds);
}
