import { hashSecret } from '@latchkey/db';
import { AppError, refuse, user } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import {
  type BegunHandOver,
  contentPlace,
  type HandOverContent,
  handOverSeconds,
  type Purpose,
  secretLength,
} from './hand-over.ts';
import { deleteOldest, insertHandOver } from './queries.ts';

type BeginContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'tx'>;

/** More than anybody needs who begins in several tabs. */
const mostAtOnce = 5;

/** Begins a step that is carried on in another browser: linking a wallet to the caller, or signing somebody in. */
export async function beginHandOver(
  ctx: BeginContext,
  { body: { purpose, communityId } }: { body: { purpose: Purpose; communityId?: string | undefined } },
): Promise<BegunHandOver> {
  const content = purpose === 'link' ? await describeLink(ctx, communityId) : {};
  const userId = content.person?.userId ?? null;
  const [ticket, key] = [ctx.random.id(secretLength), ctx.random.id(secretLength)];
  const ticketHash = hashSecret(ticket);
  const now = ctx.clock();
  const expiresAt = new Date(now.getTime() + handOverSeconds * 1000);
  await ctx.db.transaction('system', async (tx) => {
    if (userId !== null) await deleteOldest(tx, userId, mostAtOnce - 1);
    await insertHandOver(tx, {
      ticket_hash: ticketHash,
      key_hash: hashSecret(key),
      purpose,
      user_id: userId,
      content: ctx.keyring.seal(contentPlace(ticketHash), JSON.stringify(content)),
      created_at: now,
      expires_at: expiresAt,
    });
  });
  return { url: `${ctx.settings.baseUrl}/hand-over/${ticket}`, key, expiresTime: expiresAt.toISOString() };
}

async function describeLink(ctx: BeginContext, communityId: string | undefined): Promise<HandOverContent> {
  const { actor } = ctx;
  const refusal = refuse(user('user:wallet:write'), actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  if (actor.kind !== 'user') throw new AppError('ROLE_NOT_ALLOWED', 'Only a person can link a wallet.');
  const { userId, platform, name } = actor;
  // A wallet is connected everywhere where the community is not the person's.
  const community = communityId === undefined ? undefined : await ctx.tx((tx) => selectCommunity(tx, communityId));
  return {
    person: { userId, platform, ...(name !== undefined && { name }) },
    ...(community !== undefined && { communityId: community.id }),
  };
}
