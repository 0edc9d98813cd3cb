import { hash } from 'node:crypto';
import { exponentialRetry, job, shape, T } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import type { SnapshotProposal } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectDuePost, updatePost } from './queries.ts';
import { type SendContext, sendNews } from './send-news.ts';
import { isSnapshotEvent, type SnapshotEventName } from './snapshot.ts';

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
