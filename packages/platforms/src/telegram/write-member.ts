import { type MemberWrite, PlatformFailed, type Refusal, type WriteOutcome } from '@latchkey/core/ports';
import { type Clock, isTagRole } from '@latchkey/kernel';
import type { TelegramCall } from './client.ts';
import { answerJoinQuery, type ChatRecords } from './guard.ts';
import { type ChatMember, isInside, isProtected, memberRole, toMember } from './member.ts';
import { readOne } from './read-member.ts';
import { saysNobody, saysNoRequest, stopsEverything } from './refusals.ts';
import { changedTag, tagRefusal, tagRolesIn, titledInstead } from './tags.ts';

interface WriteParts {
  clock: Clock;
  records: ChatRecords;
}

export const noSuchRole = {
  fault: 'missing',
  advice: `Telegram chats have the role "${memberRole}" and tags. Choose one of them in the rule.`,
} as const;

/** Lets a user in or removes a member, changes the tag, and reads the result back. */
export async function writeMember(
  call: TelegramCall,
  { clock, records }: WriteParts,
  write: MemberWrite,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const { communityId: chatId, userId, add, remove } = write;
  const unknown = [...add, ...remove].filter((id) => id !== memberRole && !isTagRole(id));
  const [leaves, joins] = [remove, add].map((ids) => ids.includes(memberRole));
  if (unknown.length === add.length + remove.length)
    return { kind: 'forbidden', ...noSuchRole, ...(unknown.length === 1 && { roleId: unknown[0] }) };
  if (write.isJoinRequest && leaves) return turnAway(call, records, write, signal);
  const before = await readOne(call, chatId, userId, signal);
  const wasInside = before !== undefined && isInside(before);
  if (!wasInside && !joins) return { kind: 'gone' };
  if (before && leaves && isProtected(before))
    return { kind: 'forbidden', scope: 'change', roleId: memberRole, advice: protectedReason };
  const moves = leaves
    ? await removeMember(call, clock, chatId, Number(userId), signal)
    : wasInside
      ? 0
      : await admitMember(call, records, write, signal);
  const tags = before && wasInside && !leaves ? await writeTag(call, records, write, before, signal) : { calls: 0 };
  const calls = moves + tags.calls;
  const after = calls === 0 ? before : await readOne(call, chatId, userId, signal);
  const isIn = after !== undefined && isInside(after);
  if (calls === 0 && !isIn) return { kind: 'gone' };
  const roleIds = isIn ? toMember(after).roleIds : [];
  const refused = [...(tags.refused ?? []), ...unknown.map((roleId) => ({ ...noSuchRole, roleId }))];
  const isPending = (id: string, isAdded: boolean) =>
    roleIds.includes(id) !== isAdded && !refused.some(({ roleId }) => roleId === id);
  // A new member gets a tag with the next check, once Telegram shows the member.
  const missing = wasInside ? add : add.filter((id) => id === memberRole);
  if (missing.some((id) => isPending(id, true)) || remove.some((id) => isPending(id, false)))
    return {
      kind: 'failed',
      reason: 'Telegram accepted the change, but it did not take effect.',
      retryAfterSeconds: 5,
    };
  return { kind: 'written', roleIds, calls, ...(leaves && { hasLeft: true }), ...(refused.length > 0 && { refused }) };
}

interface TagWrite {
  calls: number;
  refused?: readonly Refusal[];
}

/** Changes the tag of a member. What Telegram refuses about tags leaves everything else as it is. */
async function writeTag(
  call: TelegramCall,
  { readTagRoles }: ChatRecords,
  { communityId: chatId, userId, add, remove }: MemberWrite,
  before: ChatMember,
  signal?: AbortSignal,
): Promise<TagWrite> {
  const shown = tagRolesIn(before.tag);
  const changed = [
    ...add.filter((id) => isTagRole(id) && !shown.includes(id)),
    ...remove.filter((id) => shown.includes(id)),
  ];
  if (changed.length === 0) return { calls: 0 };
  if (isProtected(before))
    return { calls: 0, refused: changed.map((roleId) => ({ roleId, scope: 'change', advice: titledInstead })) };
  const tag = changedTag(before.tag, { add, remove, ranked: await readTagRoles(chatId) });
  const cut = changed.filter((id) => add.includes(id) && !tagRolesIn(tag).includes(id));
  const refused: Refusal[] = cut.map((roleId) => ({ roleId, scope: 'change', advice: noRoom }));
  if (tag === before.tag) return { calls: 0, refused };
  try {
    await call((api, abort) => api.setChatMemberTag(chatId, Number(userId), tag, abort), signal);
    return { calls: 1, refused };
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    return { calls: 0, refused: changed.map((roleId) => tagRefusal(error, roleId)) };
  }
}

const noRoom = 'The tag of this member has no room for it: Telegram shows 16 characters.';

const protectedReason =
  'Telegram does not let bots remove administrators. Remove this member’s administrator rights first.';

// Telegram treats less than half a minute as forever; this allows for clock drift.
const banSeconds = 300;

/** Removes a member who stays free to come back: the ban is lifted at once, and expires by itself if that call is lost. */
async function removeMember(
  call: TelegramCall,
  clock: Clock,
  chatId: string,
  userId: number,
  signal?: AbortSignal,
): Promise<number> {
  const until_date = Math.floor(clock().getTime() / 1000) + banSeconds;
  await call((api, abort) => api.banChatMember(chatId, userId, { until_date }, abort), signal);
  await call((api, abort) => api.unbanChatMember(chatId, userId, { only_if_banned: true }, abort), signal);
  return 2;
}

/**
 * Only users with a pending join request can be admitted; for others there is nothing to call. A request that Telegram still waits for
 * is answered by its query; where that is too late, it is an ordinary one.
 */
async function admitMember(
  call: TelegramCall,
  { queries }: ChatRecords,
  { communityId: chatId, userId: user }: MemberWrite,
  signal?: AbortSignal,
): Promise<number> {
  const userId = Number(user);
  const queryId = await queries.find(chatId, user);
  if (queryId !== undefined && (await answerJoinQuery(call, queryId, 'approve', signal))) return 1;
  try {
    await call((api, abort) => api.approveChatJoinRequest(chatId, userId, abort), signal);
    return 1;
  } catch (error) {
    if (saysNoRequest(error)) return 0;
    throw error;
  }
}

/** Declines a join request. A user without a pending request is left alone. */
async function turnAway(
  call: TelegramCall,
  { queries }: ChatRecords,
  { communityId: chatId, userId }: MemberWrite,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const declined = { kind: 'written', roleIds: [], calls: 1, hasLeft: true } as const;
  const queryId = await queries.find(chatId, userId);
  if (queryId !== undefined && (await answerJoinQuery(call, queryId, 'decline', signal))) return declined;
  try {
    await call((api, abort) => api.declineChatJoinRequest(chatId, Number(userId), abort), signal);
    return declined;
  } catch (error) {
    if (saysNoRequest(error)) return { kind: 'gone' };
    throw error;
  }
}

/** Converts a failed call to the outcome of a write. */
export function outcomeOf(error: PlatformFailed): WriteOutcome {
  if (saysNobody(error)) return { kind: 'gone' };
  if (stopsEverything(error))
    return {
      kind: 'forbidden',
      scope: 'community',
      fault: error.kind === 'forbidden' ? 'refused' : 'no-access',
      advice: error.message,
    };
  const { message: reason, retryAfterSeconds } = error;
  return { kind: 'failed', reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}
