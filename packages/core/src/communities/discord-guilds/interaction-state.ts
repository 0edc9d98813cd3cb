import { type Hashed, hashSecret, type Sealed, type Sql } from '@latchkey/db';
import { addSeconds, notFound } from '@latchkey/kernel';
import type { InteractionHandle } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    discord_interactions: {
      id_hash: Hashed;
      community_id: string | null;
      /** The mini-app it was forwarded to, and the user who started it. */
      app_id: string | null;
      user_id: string | null;
      /** Discord's id. Other parties know it too, so it grants no access by itself. */
      discord_id: string | null;
      handle: Sealed;
      created_at: Date;
      expires_at: Date;
    };
  }
}

/** How long Discord accepts messages for an interaction. */
export const interactionTtlSeconds = 15 * 60;
const idLength = 32;

/** Stores what is needed to continue an interaction. The id is the only key to it, so it is given to no one else. */
export async function keepInteraction(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'random'>,
  { applicationId, token }: InteractionHandle,
  communityId?: string,
  forApp?: { appId: string; userId: string; discordId?: string | undefined },
): Promise<string> {
  const id = ctx.random.id(idLength);
  const idHash = hashSecret(id);
  const createdAt = ctx.clock();
  await ctx.db.system
    .insertInto('discord_interactions')
    .values({
      id_hash: idHash,
      community_id: communityId ?? null,
      app_id: forApp?.appId ?? null,
      user_id: forApp?.userId ?? null,
      discord_id: forApp?.discordId ?? null,
      handle: ctx.keyring.seal(handlePlace(idHash), JSON.stringify({ applicationId, token })),
      created_at: createdAt,
      expires_at: addSeconds(createdAt, interactionTtlSeconds),
    })
    .execute();
  return id;
}

/** Unknown and expired interactions look the same. */
export function openInteraction(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  id: string,
): Promise<InteractionHandle> {
  return openInteractionByHash(ctx, hashSecret(id));
}

/**
 * Finds the user of an interaction that was forwarded to a mini-app and has not expired. Apps name it by the id in its
 * callback URL, or by Discord's id.
 */
export async function findForwarded(
  ctx: Pick<Context, 'clock' | 'db'>,
  id: string,
): Promise<{ appId: string; userId: string; communityId: string } | undefined> {
  const row = await ctx.db.system
    .selectFrom('discord_interactions')
    .select(['app_id', 'user_id', 'community_id'])
    .where((eb) => eb.or([eb('id_hash', '=', hashSecret(id)), eb('discord_id', '=', id)]))
    .where('expires_at', '>', ctx.clock())
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row?.app_id == null || row.user_id === null || row.community_id === null) return undefined;
  return { appId: row.app_id, userId: row.user_id, communityId: row.community_id };
}

/** For jobs that continue an interaction: their payload is stored unencrypted, so it must not contain the id. */
export async function openInteractionByHash(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  idHash: Hashed,
): Promise<InteractionHandle> {
  const row = await ctx.db.system
    .selectFrom('discord_interactions')
    .select('handle')
    .where('id_hash', '=', idHash)
    .where('expires_at', '>', ctx.clock())
    .executeTakeFirst();
  if (row === undefined) throw notFound('interaction');
  return parseHandle(ctx.keyring.openText(handlePlace(idHash), row.handle));
}

// Sealed text is authenticated, so it can only be what keepInteraction wrote.
function parseHandle(json: string): InteractionHandle {
  return JSON.parse(json) as InteractionHandle;
}

/** Deletes up to `limit` expired interactions and returns how many. */
export async function deleteExpired(db: Sql, now: Date, limit: number): Promise<number> {
  const expired = db.selectFrom('discord_interactions').select('id_hash').where('expires_at', '<=', now).limit(limit);
  const result = await db.deleteFrom('discord_interactions').where('id_hash', 'in', expired).executeTakeFirst();
  return Number(result.numDeletedRows);
}

function handlePlace(idHash: string): string {
  return `discord_interactions.handle:${idHash}`;
}

/** The sealed column of this module, for master key rotation. */
export const discordSealed: readonly SealedColumn[] = [
  {
    table: 'discord_interactions',
    column: 'handle',
    idColumns: ['id_hash'],
    placeOf: (idHash = '') => handlePlace(idHash),
  },
];
