import { hash } from 'node:crypto';
import { exponentialRetry, job, shape, T } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { type ChatBot, PlatformFailed, type SnapshotProposal } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectDuePost, updatePost } from './queries.ts';
import { isSnapshotEvent, type SnapshotEventName } from './snapshot.ts';
import { type News, writeMessage, writeText } from './write-message.ts';

type PostContext = Pick<Context, 'clock' | 'db' | 'log' | 'snapshot'> & SendContext;

const tries = 20;

/** From this attempt on, about an hour after the first, a message is posted without the hub's data. */
const hubTries = 12;

/**
 * Posts one message to one channel, once. A process that dies between sending and recording it sends again with the
 * same nonce, and Discord returns the existing message. Telegram has no nonce: there it would be posted twice.
 */
export const postProposal = job(
  'snapshot.post-proposal',
  {
    payload: shape(
      T.Object({
        eventId: T.String({ maxLength: 220 }),
        event: T.String({ maxLength: 64 }),
        channelId: T.String({ maxLength: 21 }),
      }),
    ),
    retry: exponentialRetry(tries, 2, 3600),
    timeoutSeconds: 60,
    maxRunningPerGroup: 1,
  },
  async (ctx: PostContext, { eventId, event, channelId }, { attempt, signal }) => {
    const key = { event_id: eventId, event, channel_id: channelId };
    const due = await selectDuePost(ctx.db.system, key);
    if (due === undefined || !isSnapshotEvent(event)) return;
    const community = await selectCommunity(ctx.db.system, due.community_id);
    if (community === undefined) return;
    const proposalId = eventId.slice('proposal/'.length);
    const proposal = await readProposal(ctx, event, proposalId, attempt >= hubTries, signal);
    // A proposal that is claimed by another space is not posted under this one's name.
    if (proposal === 'hidden' || (proposal !== undefined && proposal.space.id !== due.space))
      return updatePost(ctx.db.system, key, { problem: 'Snapshot does not list this proposal in this space.' });
    const news = { event, space: due.space, proposalId, proposal };
    const nonce = hash('sha256', [eventId, event, channelId].join('\n'), 'hex').slice(0, 25);
    const sent = await sendNews(ctx, community, channelId, news, { nonce, signal });
    await updatePost(
      ctx.db.system,
      key,
      sent.id === undefined ? sent : { message_id: sent.id, posted_at: ctx.clock() },
    );
  },
);

/** Returns the proposal; undefined if it can be posted without it, and `hidden` if it must not be posted. */
async function readProposal(
  ctx: Pick<Context, 'snapshot'>,
  event: SnapshotEventName,
  proposalId: string,
  isLate: boolean,
  signal: AbortSignal,
): Promise<SnapshotProposal | 'hidden' | undefined> {
  // The hub drops withdrawn proposals.
  if (ctx.snapshot === undefined || event === 'proposal/deleted') return undefined;
  const answer = await ctx.snapshot.readProposal(proposalId, signal);
  if (answer.kind === 'found') return answer.found.isFlagged ? 'hidden' : answer.found;
  if (answer.kind === 'missing') return 'hidden';
  if (isLate) return undefined;
  throw new Error(answer.reason);
}

/** The ports of the platforms on which the bot can post. */
type SendContext = Pick<Context, 'bots' | 'discord' | 'telegram'>;

type Sent = { id: string; problem?: undefined } | { id?: undefined; problem: string };

/** Posts news to a channel. Throws if the platform is unavailable; returns a problem for what it will never accept. */
async function sendNews(
  ctx: SendContext,
  community: CommunityRow,
  channelId: string,
  news: News,
  { nonce, signal }: { nonce: string; signal: AbortSignal },
): Promise<Sent> {
  try {
    const bot = ctx.bots[community.platform];
    if (bot !== undefined) return await sendByBot(bot, community, channelId, news, signal);
    return community.platform === 'telegram'
      ? await sendToTelegram(ctx, community, channelId, news, signal)
      : await sendToDiscord(ctx, community, channelId, news, nonce);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable' || error.kind === 'not-configured')
      throw error;
    return { problem: error.message };
  }
}

// A channel may have been moved since it was linked.
const gone = { problem: 'The channel no longer exists in the community.' };

async function sendToDiscord(
  { discord }: SendContext,
  { community_id: guildId }: CommunityRow,
  channelId: string,
  news: News,
  nonce: string,
): Promise<Sent> {
  if (discord === undefined) throw new Error('No Discord bot is configured.');
  if (!(await discord.readChannels(guildId)).some(({ id }) => id === channelId)) return gone;
  const quiet = { allowed_mentions: { parse: [] }, nonce, enforce_nonce: true };
  const { id } = await discord.sendMessage(channelId, { ...quiet, ...writeMessage(news) });
  return { id };
}

async function sendByBot(
  bot: ChatBot,
  { community_id: placeId }: CommunityRow,
  channelId: string,
  news: News,
  signal: AbortSignal,
): Promise<Sent> {
  if (channelId !== placeId) return gone;
  const { text, buttons } = writeText(news);
  const links = buttons.flat().flatMap((button) => ('url' in button ? [`${button.text}: ${button.url}`] : []));
  return { id: await bot.post(placeId, [text, ...links].join('\n'), signal) };
}

async function sendToTelegram(
  { telegram }: SendContext,
  { community_id: chatId }: CommunityRow,
  channelId: string,
  news: News,
  signal: AbortSignal,
): Promise<Sent> {
  if (telegram === undefined) throw new Error('No Telegram bot is configured.');
  if (channelId !== chatId) return gone;
  return { id: await telegram.post(chatId, writeText(news), signal) };
}
