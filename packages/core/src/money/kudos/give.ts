import { AppError, notFound, principalId } from '@latchkey/kernel';
import { type CommunityRow, nativeUserId, selectCommunity } from '../../communities/communities/index.ts';
import { putMembers, selectMembers } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import { notConfigured } from '../../platform-setup.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { signCredential } from './credential.ts';
import { dailyKudos, isKudosKind, maxWords } from './kudos.ts';
import { insertKudos, type KudosRow, lockGiver, selectGivenSince } from './queries.ts';

type GiveContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts' | 'keyring' | 'random' | 'settings' | 'tx'>;

export interface NewKudos {
  communityId: string;
  toUserId: string;
  kind: string;
  words: string;
}

const daySeconds = 24 * 60 * 60;

/** Thanks another member of a community. The thanks and their signed credential are there together or not at all. */
export async function giveKudos(ctx: GiveContext, { communityId, toUserId, kind, words }: NewKudos): Promise<KudosRow> {
  const fromUserId = principalId(ctx.actor);
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || (await memberOf(ctx, community, fromUserId)) === undefined)
    throw notFound('community');
  const said = words.trim();
  if (!isKudosKind(kind) || said === '' || said.length > maxWords)
    throw new AppError(
      'VALIDATION_FAILED',
      `Say what it is for: a kind of small letters, digits and -, and up to ${maxWords} characters of your own words.`,
    );
  if (toUserId === fromUserId) throw new AppError('VALIDATION_FAILED', 'Kudos are for others.');
  const receiver = await memberOf(ctx, community, toUserId);
  if (receiver === undefined) throw notFound('member');
  if (receiver.isBot) throw new AppError('VALIDATION_FAILED', 'Kudos are for people.');
  const given = {
    id: ctx.random.id(),
    community_id: community.id,
    from_user_id: fromUserId,
    to_user_id: toUserId,
    kind,
    words: said,
    given_at: ctx.clock(),
  };
  const row = { ...given, jwt: await signCredential(ctx, given, community.name) };
  await ctx.tx(async (tx) => {
    await lockGiver(tx, community.id, fromUserId);
    const since = new Date(row.given_at.getTime() - daySeconds * 1000);
    const earlier = await selectGivenSince(tx, community.id, fromUserId, since);
    if (earlier.length >= dailyKudos) throw tooMany(earlier[earlier.length - dailyKudos] ?? since, since);
    await insertKudos(tx, row);
  });
  return row;
}

function tooMany(oldest: Date, since: Date): AppError {
  return new AppError('RATE_LIMITED', `You can give kudos ${dailyKudos} times a day here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() - since.getTime()) / 1000)),
  });
}

/** The member as known here; one who is not known yet is looked up on the platform and noted. */
async function memberOf(
  ctx: Pick<Context, 'clock' | 'db' | 'hosts'>,
  { id, platform, community_id }: CommunityRow,
  userId: string,
): Promise<{ isBot: boolean } | undefined> {
  const [known] = await selectMembers(ctx.db.system, id, [userId]);
  if (known !== undefined && known.left_at === null) return { isBot: known.is_bot };
  const nativeId = nativeUserId(platform, userId);
  if (nativeId === undefined) return undefined;
  const host = ctx.hosts[platform];
  if (host === undefined) throw notConfigured(platform);
  const seen = await host.readMember(community_id, nativeId).catch((error: unknown) => {
    if (!(error instanceof PlatformFailed)) throw error;
    throw new AppError('UNAVAILABLE', error.message, {
      retryAfterSeconds: error.retryAfterSeconds ?? 30,
      cause: error,
    });
  });
  if (seen === undefined) return undefined;
  const { roleIds, isBot = false } = seen;
  await putMembers(ctx.db.system, id, [{ userId, roleIds, isBot }], ctx.clock());
  return { isBot };
}
