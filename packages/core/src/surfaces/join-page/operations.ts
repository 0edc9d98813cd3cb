import { enqueue } from '@latchkey/db';
import {
  type Access,
  AppError,
  addSeconds,
  choice,
  notFound,
  op,
  principalId,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import { evaluateMember } from '../../gating/evaluation/index.ts';
import { issueConnectToken } from '../../linking/connect-links/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { nativeUserId, userKey } from '../../shared/qualified-ids.ts';
import { describeRoles, MyRole } from '../my-roles/index.ts';
import { answerJoinRequest, joinJob, leaveOpen, memberRole } from '../telegram/index.ts';
import { findJoinQuery, type JoinQueryRow } from '../telegram-gate/index.ts';

/** Telegram signs when a page was opened. The page sends that at once, so anything older is a copy. */
const freshSeconds = 300;
/** Clocks differ. */
const aheadSeconds = 60;

const slug = text('The last part of the address of the page.', { minLength: 1, maxLength: 64 });

const OpenedJoinPage = record('OpenedJoinPage', 'Who opened the page of a request to join, and what for.', {
  token: text('An AE token that links wallets to this person, for 15 minutes.'),
  name: text('The person’s name on Telegram.'),
  communityId: text('The qualified id of the community.'),
  communityName: text('The name of the chat.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
});

const JoinCheck = record('JoinCheck', 'How a request to join stands.', {
  state: choice(
    'approved: the person is in. needed: the wallets linked so far are not enough. queued: something could not be read, or no rule decides, so the request stays open and is decided later. ended: the request was declined or withdrawn; the person can request again.',
    ['approved', 'needed', 'queued', 'ended'] as const,
  ),
  role: T.Optional(MyRole),
});
type JoinCheck = ValueOf<typeof JoinCheck>;

/** What Telegram signed is the credential. */
const bySignature: Access = { roles: [], scopes: [] };

const person: Access = { roles: ['$user_account'], scopes: ['user:wallet:write'] };

export const joinPageOperations = [
  op(
    'POST /latchkey/telegram-join-requests/{slug}/open',
    {
      id: 'openJoinPage',
      summary: 'Open the page of a join request',
      description:
        'Returns a token for the person who opened the page of their request to join a Telegram chat. Telegram passes `initData` to the page, signed for the bot; it is accepted for five minutes, and only from the person who requested to join.',
      access: bySignature,
      params: { slug },
      body: record('JoinPageOpening', 'What Telegram passed to the page.', {
        initData: text('The init data of the Mini App, unchanged.', { minLength: 1, maxLength: 16_384 }),
      }),
      returns: OpenedJoinPage,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_CREDENTIAL'],
    },
    openJoinPage,
  ),
  op(
    'POST /latchkey/telegram-join-requests/{slug}/check',
    {
      id: 'checkJoinRequest',
      summary: 'Check your request to join',
      description:
        'Evaluates the rules for the person’s request to join now. Approves the request if they qualify; returns what is needed if not, without declining it. If something cannot be read, the request is left open and decided later.',
      access: person,
      audit: 'roles.check',
      params: { slug },
      returns: JoinCheck,
      errors: ['ENTITY_NOT_FOUND', 'UNAVAILABLE'],
    },
    checkJoinRequest,
  ),
] as const;

export async function openJoinPage(
  ctx: Context,
  { slug, body: { initData } }: { slug: string; body: { initData: string } },
): Promise<ValueOf<typeof OpenedJoinPage>> {
  const opened = ctx.telegram?.readInitData(initData);
  const now = ctx.clock();
  if (opened === undefined)
    throw new AppError('INVALID_CREDENTIAL', 'Telegram did not sign this for the bot of this server.');
  if (opened.authDate < addSeconds(now, -freshSeconds) || opened.authDate > addSeconds(now, aheadSeconds))
    throw new AppError('INVALID_CREDENTIAL', 'This page was opened too long ago. Request to join again in Telegram.');
  const userId = userKey('telegram', opened.user.id);
  const { community } = await ownRequest(ctx, slug, userId);
  const pictures = await pictureAddresses(ctx.db.system, [community.id]);
  const { name } = opened.user;
  return {
    token: await issueConnectToken(ctx, { userId, platform: 'telegram', name }),
    name,
    communityId: community.id,
    communityName: community.name,
    ...withPicture(pictures, community.id),
  };
}

export async function checkJoinRequest(ctx: Context, { slug }: { slug: string }): Promise<JoinCheck> {
  const userId = principalId(ctx.actor);
  const { query, community } = await ownRequest(ctx, slug, userId);
  if (query.outcome === 'approved' || query.outcome === 'declined') return endOf(ctx, query, community);
  const system = contextFor(ctx, { kind: 'system', job: 'join-page' });
  const verdicts = await evaluateMember(system, community, userId, { from: 'chain' });
  const verdict = verdicts.find(({ roleId }) => roleId === memberRole);
  const request = { userId: nativeUserId('telegram', userId) ?? '', slug };
  if (verdict?.truth === 'true') {
    try {
      await answerJoinRequest(system, community, request, 'grant');
    } catch (error) {
      const message = 'Telegram did not let you in yet. Try again in a moment.';
      throw new AppError('UNAVAILABLE', message, { retryAfterSeconds: 10, cause: error });
    }
    return endOf(ctx, { ...query, outcome: 'approved' }, community);
  }
  const member = { roleIds: [], verdicts: verdict === undefined ? [] : [verdict] };
  const [role] = await describeRoles(system, community, userId, { member, locale: ctx.locale });
  const shown = role === undefined ? {} : { role };
  // Nothing is declined while the person is on the page: a wallet that is linked next may be enough.
  if (verdict?.truth === 'false') return { state: 'needed', ...shown };
  if (query.outcome === null) {
    await leaveOpen(system, query).catch((error: unknown) => {
      const message = 'Telegram did not respond. Try again in a moment.';
      throw new AppError('UNAVAILABLE', message, { retryAfterSeconds: 10, cause: error });
    });
    const locale = query.locale === null ? {} : { locale: query.locale };
    if (verdict !== undefined)
      await enqueue(ctx.db.system, joinJob, {
        communityId: community.id,
        replyTo: query.reply_to,
        ...request,
        ...locale,
      });
  }
  return { state: 'queued', ...shown };
}

/** Whether an approved person is in the chat: the request may have been withdrawn. */
async function endOf(ctx: Pick<Context, 'hosts'>, query: JoinQueryRow, community: CommunityRow): Promise<JoinCheck> {
  if (query.outcome !== 'approved') return { state: 'ended' };
  const userId = nativeUserId('telegram', query.user_id) ?? '';
  const member = await ctx.hosts.telegram?.readMember(community.community_id, userId).catch(() => 'unknown' as const);
  return { state: member === undefined ? 'ended' : 'approved' };
}

/** A request of another person is treated as not found. */
async function ownRequest(
  { db }: Pick<Context, 'db'>,
  slug: string,
  userId: string,
): Promise<{ query: JoinQueryRow; community: CommunityRow }> {
  const query = await findJoinQuery(db.system, slug);
  const community = query?.user_id === userId ? await selectCommunity(db.system, query.community_id) : undefined;
  if (query === undefined || community?.status !== 'active') throw notFound('request to join');
  return { query, community };
}
