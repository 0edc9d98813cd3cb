import { type Access, NoContent, notFound, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { type CommunityRow, lockCommunity, selectCommunity } from '../../communities/community-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { countOrders, deleteApp, putApp, selectApp } from './queries.ts';
import { DevvitCall, DevvitWord, isCodeExpired, syncDevvitApp } from './sync.ts';
import { createPairing, pairingCode, secretPlace, signingKeyPlace } from './words.ts';

/** The app calls every minute. After this time without a call, something is wrong with it. */
const silentSeconds = 15 * 60;

const DevvitState = record('DevvitState', 'The Devvit app that manages a subreddit.', {
  isPaired: T.Boolean({ description: 'Whether a Devvit app is paired with the subreddit.' }),
  pairedTime: T.Optional(text('When it was paired, in ISO 8601.')),
  lastCallTime: T.Optional(text('When it last called, in ISO 8601; absent before the first call.')),
  listedTime: T.Optional(text('When it last reported all members with a flair or approval, in ISO 8601.')),
  isExpired: T.Optional(T.Boolean({ description: 'Whether the pairing code expired before the app used it.' })),
  isSilent: T.Optional(T.Boolean({ description: 'Whether it should have called and did not.' })),
  waiting: T.Optional(T.Number({ description: 'How many members have changes that it is to apply.', minimum: 0 })),
});
type DevvitState = ValueOf<typeof DevvitState>;

const DevvitPairing = record('DevvitPairing', 'What pairs a Devvit app with this server.', {
  pairingCode: text('What a moderator enters in the settings of the app. It is a secret, and is shown only now.'),
});
type DevvitPairing = ValueOf<typeof DevvitPairing>;

/** The proof in the body decides. */
const byProof: Access = { roles: [], scopes: [] };

const communityId = communityParam;
const path = '/latchkey/communities/{communityId}/devvit' as const;
type Here = { communityId: string };

export async function getDevvitApp(ctx: Pick<Context, 'clock' | 'db'>, { communityId }: Here): Promise<DevvitState> {
  const community = await getCommunity(ctx, communityId);
  const app = await selectApp(ctx.db.system, community.id);
  if (app === undefined) return { isPaired: false };
  const quietSinceMs = (app.last_call_at ?? app.paired_at).getTime();
  return {
    isPaired: true,
    pairedTime: app.paired_at.toISOString(),
    ...(app.last_call_at !== null && { lastCallTime: app.last_call_at.toISOString() }),
    ...(app.listed_at !== null && { listedTime: app.listed_at.toISOString() }),
    isExpired: isCodeExpired(app, ctx.clock()),
    isSilent: ctx.clock().getTime() - quietSinceMs > silentSeconds * 1000,
    waiting: await countOrders(ctx.db.system, community.id),
  };
}

/** Pairs a Devvit app with a subreddit. An earlier pairing code stops working. */
export async function pairDevvitApp(ctx: Context, { communityId }: Here): Promise<DevvitPairing> {
  const community = await getCommunity(ctx, communityId);
  if (community.platform !== 'reddit') throw refuse('/communityId', 'must be a subreddit', 'platform');
  const pairing = createPairing(ctx.random);
  await ctx.db.transaction('system', async (tx) => {
    // Of two admins who pair it at once, the second replaces the code of the first.
    await lockCommunity(tx, community.id);
    await putApp(tx, {
      community_id: community.id,
      secret: ctx.keyring.seal(secretPlace(community.id), pairing.secret),
      signing_key: ctx.keyring.seal(signingKeyPlace(community.id), pairing.signingKey),
      paired_by: ctx.actor.kind === 'user' ? ctx.actor.userId : null,
      paired_at: ctx.clock(),
    });
  });
  return { pairingCode: pairingCode(pairing, ctx.settings.baseUrl, community.id) };
}

export async function unpairDevvitApp(ctx: Pick<Context, 'db'>, { communityId }: Here): Promise<void> {
  const community = await getCommunity(ctx, communityId);
  if (!(await deleteApp(ctx.db.system, community.id))) throw notFound('Devvit app');
}

async function getCommunity({ db }: Pick<Context, 'db'>, id: string): Promise<CommunityRow> {
  const community = await selectCommunity(db.system, id);
  if (community === undefined) throw notFound('community');
  return community;
}

export const devvitOperations = [
  op(
    `GET ${path}`,
    {
      id: 'getDevvitApp',
      summary: 'Get the Devvit app of a subreddit',
      description:
        'Returns whether a Devvit app manages the flair and approved users of a subreddit, when it last called, and how many members have changes that wait for it. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId },
      returns: DevvitState,
    },
    getDevvitApp,
  ),
  op(
    `POST ${path}`,
    {
      id: 'pairDevvitApp',
      summary: 'Pair a Devvit app',
      description:
        'Creates a pairing code for the Devvit app in a subreddit, and returns it once. A code that no app uses expires after 24 hours. From then on the app manages flair and approved users, instead of the token of a moderator. An earlier code stops working. For community admins.',
      audit: 'reddit.devvit-pair',
      access: confirmedCommunityAdmin('communityId'),
      params: { communityId },
      returns: DevvitPairing,
      errors: ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED'],
    },
    pairDevvitApp,
  ),
  op(
    `DELETE ${path}`,
    {
      id: 'unpairDevvitApp',
      summary: 'Unpair the Devvit app',
      description:
        'Revokes the pairing code at once. Flair and approved users stay unchanged, and a linked token of a moderator is used again. For community admins.',
      audit: 'reddit.devvit-unpair',
      access: confirmedCommunityAdmin('communityId'),
      params: { communityId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unpairDevvitApp,
  ),
  op(
    'POST /latchkey/devvit/sync',
    {
      id: 'syncDevvitApp',
      summary: 'Exchange reports with a Devvit app',
      description:
        'For the Latchkey app on Reddit’s developer platform, which calls it every minute. The app reports flairs, members and what became of earlier changes, and proves it with the secret of its pairing. The response is a signed word for this subreddit and this call, with the changes to apply. A call that was sent before is refused.',
      access: byProof,
      body: DevvitCall,
      returns: DevvitWord,
      errors: ['INVALID_CREDENTIAL', 'VALIDATION_FAILED'],
    },
    syncDevvitApp,
  ),
] as const;
