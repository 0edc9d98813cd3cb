import { nativeUserId } from '../../communities/communities/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { sendChanges } from './send-changes.ts';
import { type Result, splitByTruth, type WrittenItem } from './settle.ts';
import type { Run, WriteContext, Writer } from './write.ts';

/** Writes all changes of one member, as far as the platform does not show them yet. */
export async function writeMember(
  ctx: WriteContext,
  writer: Writer,
  items: readonly WrittenItem[],
  run: Run,
): Promise<Result> {
  const { community, host, signal } = writer;
  const [first] = items;
  const userId = first && nativeUserId(community.platform, first.user_id);
  if (first === undefined || userId === undefined) return { gone: items };
  const known = { roleIds: first.role_ids ?? [] };
  // What was tried before may have been written, and what seems to be done may be news that came late: only the platform knows.
  const isOpen = items.some(wasTried) || splitByTruth(items, known.roleIds).done.length > 0;
  const held = isOpen && !first.is_at_door ? await readHeld(ctx, writer, userId) : known;
  if ('gone' in held) return { ...splitByTry(items), left: first.user_id };
  if ('failure' in held) return { failed: [{ items, outcome: held.failure }] };
  const { settled, current } = splitKnown(items, held);
  const { blind, ready } = splitBlind(current, run);
  const sent = await sendChanges({ community, host, userId, signal, findings: run.findings }, ready, held.roleIds);
  // No call was needed: somebody else had done it.
  const ours = [...sent.written, ...sent.found.filter(wasTried)];
  const ended = splitByTry(sent.gone);
  return {
    confirmed: [...settled.confirmed, ...ours, ...ended.confirmed],
    dropped: [...settled.dropped, ...sent.found.filter((item) => !wasTried(item))],
    gone: ended.gone,
    forbidden: sent.refused,
    failed: [...blind, ...sent.failed],
    ...((sent.hasLeft || sent.gone.length > 0) && { left: first.user_id }),
    ...seenOf(ctx, first.user_id, held, sent),
  };
}

/** What the roles that a member holds say of the changes already, and what is left to write. */
function splitKnown(items: readonly WrittenItem[], held: { roleIds: readonly string[] }) {
  const { done, left } = items.some((item) => item.is_at_door)
    ? { done: [], left: [...items] }
    : splitByTruth(items, held.roleIds);
  // A newer wish waits for the others, or somebody else did it meanwhile: nothing to write, and nothing of ours to record.
  return {
    settled: {
      confirmed: done.filter(wasTried),
      dropped: [...done.filter((item) => !wasTried(item)), ...left.filter((item) => item.is_outdated)],
    },
    current: left.filter((item) => !item.is_outdated),
  };
}

/** While nobody can say what power roles have, none is given. */
function splitBlind(items: readonly WrittenItem[], { blindness }: Run) {
  const grants = blindness === undefined ? [] : items.filter(({ action }) => action === 'grant');
  return {
    blind: blindness === undefined || grants.length === 0 ? [] : [{ items: grants, outcome: blindness }],
    ready: items.filter((item) => !grants.includes(item)),
  };
}

function seenOf(
  ctx: WriteContext,
  userId: string,
  held: { roleIds: readonly string[]; seenAt?: Date },
  sent: { roleIds?: readonly string[]; hasLeft: boolean; gone: readonly WrittenItem[] },
): Pick<Result, 'seen'> {
  if (sent.hasLeft || sent.gone.length > 0) return {};
  if (sent.roleIds !== undefined) return { seen: { userId, roleIds: sent.roleIds, seenAt: ctx.clock() } };
  return held.seenAt === undefined ? {} : { seen: { userId, roleIds: held.roleIds, seenAt: held.seenAt } };
}

/** Somebody who is gone has lost what was to be taken: by our doing, if it was tried. */
function splitByTry(items: readonly WrittenItem[]): { confirmed: WrittenItem[]; gone: WrittenItem[] } {
  const isDone = (item: WrittenItem) => item.action === 'revoke' && wasTried(item) && !item.is_outdated;
  return { confirmed: items.filter(isDone), gone: items.filter((item) => !isDone(item)) };
}

type Held =
  | { roleIds: readonly string[]; seenAt?: Date }
  | { gone: true }
  | { failure: { reason: string; retryAfterSeconds?: number } };

async function readHeld(ctx: WriteContext, { community, host, signal }: Writer, userId: string): Promise<Held> {
  const seenAt = ctx.clock();
  try {
    const member = await host.readMember(community.community_id, userId, signal);
    return member === undefined ? { gone: true } : { roleIds: member.roleIds, seenAt };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { message: reason, retryAfterSeconds } = error;
    return { failure: { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) } };
  }
}

function wasTried(item: WrittenItem): boolean {
  return item.tries > 0;
}
