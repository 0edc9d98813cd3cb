import { equalSecrets, type Tx } from '@latchkey/db';
import { AppError, addSeconds, choice, record, shape, T, text, type ValueOf } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { resumeWaiting, selectStillWaiting } from '../../gating/role-changes/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import {
  type DevvitAppRow,
  type DevvitOrderRow,
  deleteMember,
  deleteOrders,
  endList,
  endOrder,
  lockApp,
  markSent,
  memberLists,
  putMembers,
  selectApp,
  selectOrders,
  setApp,
} from './queries.ts';
import { openPairing, proofOf, signWord } from './words.ts';

const mostMembers = 1_000;
const ordersAtOnce = 25;
/** How far the clock of the app may be off. */
const mostSkewSeconds = 300;
const wordSeconds = 120;
const listAgainSeconds = 60 * 60;

const name = text('The name of a user.', { minLength: 1, maxLength: 64 });
const roleId = text('A role of the subreddit: flair:<id> or approved.', { minLength: 1, maxLength: 128 });

/** What an app reports. The app and the server may be of different versions, so unknown fields are ignored. */
const Call = shape(
  T.Object({
    subreddit: T.Object({ id: text('For example t5_2qh1i.', { pattern: '^t5_[a-z0-9]{1,20}$' }), name }),
    sentTime: T.Integer({ description: 'By the clock of the app, in milliseconds.', minimum: 0, maximum: 2 ** 48 }),
    nonce: text('Random.', { minLength: 16, maxLength: 64 }),
    flairs: T.Optional(
      T.Array(T.Object({ roleId, text: text('What it shows.') }), {
        description: 'Every user flair.',
        maxItems: 1_000,
      }),
    ),
    members: T.Optional(
      T.Array(T.Object({ name, flair: T.Optional(roleId), approved: T.Optional(roleId) }), {
        description: 'Members who were read by name.',
        maxItems: mostMembers,
      }),
    ),
    page: T.Optional(
      T.Object({
        round: text('The list that this server asked for.', { maxLength: 64 }),
        list: choice('Its part.', memberLists),
        members: T.Array(T.Object({ name, roleId }), { description: 'Members.', maxItems: mostMembers }),
        isLast: T.Boolean({ description: 'Whether the part is complete now.' }),
      }),
    ),
    results: T.Optional(
      T.Array(
        T.Object({
          orderId: text('The order.', { maxLength: 64 }),
          outcome: choice('What became of it.', ['applied', 'refused', 'gone', 'failed'] as const),
          roleId: T.Optional(roleId),
        }),
        { description: 'What became of orders.', maxItems: 200 },
      ),
    ),
  }),
);
type Call = ValueOf<typeof Call>;
const readCall = validatorOf(Call, { what: 'message', unknownFields: 'ignore' });

export const DevvitCall = record('DevvitCall', 'A call of a Devvit app.', {
  communityId: communityIdField('The community that the app is paired with.'),
  message: text('What the app reports, as JSON text.', { minLength: 2, maxLength: 200_000 }),
  proof: text('HMAC-SHA256 of the message with the secret of the pairing, in base64url.', {
    minLength: 43,
    maxLength: 43,
  }),
});

export const DevvitWord = record('DevvitWord', 'A signed word for a Devvit app.', {
  message: text('What the app is to do, as JSON text.', { maxLength: 200_000 }),
  signature: text('Ed25519 signature of the message with the key of the pairing, in base64url.'),
});
type DevvitWord = ValueOf<typeof DevvitWord>;

/** Until an app has used it, the code may lie around anywhere. */
const codeHours = 24;

export function isCodeExpired(app: Pick<DevvitAppRow, 'last_call_at' | 'paired_at'>, now: Date): boolean {
  return app.last_call_at === null && addSeconds(app.paired_at, codeHours * 60 * 60) <= now;
}

type SyncContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random'>;

/**
 * Takes what the app in a subreddit reports, and returns what it is to do. The answer names the call that it is for, so
 * that it cannot be used for another one.
 */
export async function syncDevvitApp(
  ctx: SyncContext,
  { body }: { body: { communityId: string; message: string; proof: string } },
): Promise<DevvitWord> {
  const row = await selectApp(ctx.db.system, body.communityId);
  const pairing = row && openPairing(ctx.keyring, row);
  // An unknown community takes the same path as a wrong proof.
  const isProven = equalSecrets(body.proof, proofOf(pairing?.secret ?? ctx.random.id(), body.message));
  if (!isProven || pairing === undefined)
    throw refused('The pairing code of the Devvit app is wrong, or was replaced or revoked.');
  const call = readCall(parse(body.message));
  const community = await selectCommunity(ctx.db.system, body.communityId);
  if (community === undefined) throw refused('The community does not exist.');
  const now = ctx.clock();
  if (Math.abs(call.sentTime - now.getTime()) > mostSkewSeconds * 1000)
    throw refused('The call is too old, or the clock of the app is wrong.');
  if (call.subreddit.name.toLowerCase() !== community.community_id.toLowerCase())
    throw refused('The pairing code is for another subreddit.');
  const word = await ctx.db.transaction('system', async (tx) => {
    const app = await lockApp(tx, community.id);
    // It may have been paired again in the meantime.
    if (app === undefined || app.secret !== row?.secret) throw refused('The pairing code was replaced or revoked.');
    if (isCodeExpired(app, now)) throw refused('The pairing code has expired.');
    if (call.sentTime <= app.last_sent_ms) throw refused('The call was sent before, or a later one arrived first.');
    if (app.subreddit_id !== null && app.subreddit_id !== call.subreddit.id)
      throw refused('The pairing code is in use in another subreddit.');
    app.subreddit_id = call.subreddit.id;
    app.last_sent_ms = call.sentTime;
    app.last_call_at = now;
    app.sequence += 1;
    // Results first: they lock the community, as everything does that queues checks afterwards.
    await takeResults(tx, app, call.results ?? [], now);
    await takeReport(tx, app, call, now);
    if (app.round === null && (app.listed_at === null || addSeconds(app.listed_at, listAgainSeconds) <= now)) {
      app.round = ctx.random.id();
      app.open_lists = [...memberLists];
    }
    await setApp(tx, app);
    const orders = await takeOrders(tx, community, now);
    await markSent(
      tx,
      community.id,
      orders.map(({ id }) => id),
      now,
    );
    return wordFor(ctx, app, call, orders);
  });
  const message = JSON.stringify(word);
  return { message, signature: signWord(pairing.signingKey, message) };
}

function refused(message: string): AppError {
  return new AppError('INVALID_CREDENTIAL', `${message} Pair the app again if this does not pass.`);
}

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    throw new AppError('VALIDATION_FAILED', 'The message must be JSON.', {
      details: [{ path: '/message', code: 'json', message: 'must be JSON' }],
    });
  }
}

async function takeReport(tx: Tx, app: DevvitAppRow, call: Call, now: Date): Promise<void> {
  if (call.flairs !== undefined) app.flairs = call.flairs;
  for (const list of memberLists) {
    const read = call.members ?? [];
    const having = read.flatMap((member) => {
      const held = member[list];
      return held === undefined ? [] : [{ name: member.name, roleId: held }];
    });
    if (having.length > 0) await putMembers(tx, app, list, having);
    for (const member of read)
      if (member[list] === undefined) await deleteMember(tx, app.community_id, member.name, list);
  }
  const { page } = call;
  if (page === undefined || page.round !== app.round || !app.open_lists.includes(page.list)) return;
  await putMembers(tx, app, page.list, page.members);
  if (!page.isLast) return;
  await endList(tx, app, page.list);
  app.open_lists = app.open_lists.filter((list) => list !== page.list);
  if (app.open_lists.length > 0) return;
  const isFirst = app.listed_at === null;
  app.listed_at = now;
  app.round = null;
  // Until now nobody's roles were known, so nothing could be decided.
  if (isFirst) await enqueueReconcile(tx, { communityId: app.community_id, members: '*', cause: 'schedule' });
}

const keyOfUser = (name: string): string => userKey('reddit', name);

/** What was applied is visible in the report of the same call; the rest waits for the writer of role changes. */
async function takeResults(
  tx: Tx,
  { community_id: id }: DevvitAppRow,
  results: NonNullable<Call['results']>,
  now: Date,
): Promise<void> {
  const applied = results.filter(({ outcome }) => outcome === 'applied').map(({ orderId }) => orderId);
  const names = await deleteOrders(tx, id, applied);
  for (const { orderId, outcome, roleId } of results)
    if (outcome !== 'applied') {
      // A refusal must name the role: otherwise it would concern changes that were not refused.
      const kind = outcome === 'refused' && roleId === undefined ? 'failed' : outcome;
      const ended = await endOrder(tx, id, orderId, { kind, ...(roleId !== undefined && { roleId }) });
      if (ended !== undefined) names.push(ended);
    }
  const userIds = names.map(keyOfUser);
  if (userIds.length > 0) await resumeWaiting(tx, id, userIds, now);
}

/** The orders whose changes still wait: a decision may have been withdrawn, rejected or stopped since. */
async function takeOrders(tx: Tx, { id, status }: CommunityRow, now: Date): Promise<DevvitOrderRow[]> {
  if (status !== 'active') return [];
  const orders = await selectOrders(tx, id, ordersAtOnce);
  const userIds = orders.map(({ user_name }) => keyOfUser(user_name));
  const waiting = await selectStillWaiting(tx, id, userIds);
  const isWanted = (order: DevvitOrderRow, roleId: string, action: 'grant' | 'revoke') =>
    waiting.some(
      (item) => item.user_id === keyOfUser(order.user_name) && item.role_id === roleId && item.action === action,
    );
  const isWhole = (order: DevvitOrderRow) =>
    order.add.every((one) => isWanted(order, one, 'grant')) &&
    order.remove.every((one) => isWanted(order, one, 'revoke'));
  const withdrawn = orders.filter((order) => !isWhole(order)).map((order) => order.id);
  if (withdrawn.length > 0) {
    // Where only a part was withdrawn, the rest is ordered again.
    const names = await deleteOrders(tx, id, withdrawn);
    await resumeWaiting(tx, id, names.map(keyOfUser), now);
  }
  return orders.filter(isWhole);
}

function wordFor(ctx: SyncContext, app: DevvitAppRow, call: Call, orders: readonly DevvitOrderRow[]) {
  const now = ctx.clock();
  return {
    audience: app.subreddit_id,
    communityId: app.community_id,
    inReplyTo: call.nonce,
    sequence: app.sequence,
    issuedTime: now.getTime(),
    expiresTime: addSeconds(now, wordSeconds).getTime(),
    orders: orders.map(({ id, user_name, add, remove }) => ({ id, userName: user_name, add, remove })),
    ...(app.round !== null && { list: { round: app.round, parts: app.open_lists } }),
  };
}
