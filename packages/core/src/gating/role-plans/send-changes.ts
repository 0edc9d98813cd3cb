import type { CommunityRow } from '../../communities/communities/index.ts';
import type { Refusal, RoleHost } from '../../ports/index.ts';
import type { Aside, Findings } from './findings.ts';
import { splitByTruth, type WrittenItem } from './settle.ts';

/** A member to whom changes are sent. */
export interface Recipient {
  community: CommunityRow;
  host: RoleHost;
  /** The platform's own id. */
  userId: string;
  signal: AbortSignal;
  findings: Findings;
  /** It is this member's turn to search for a culprit. */
  hasTurn?: boolean;
}

/** What came of changes. Every one of them is in one of the lists. */
export interface Sent {
  /** True on the platform by a call of ours. */
  written: readonly WrittenItem[];
  /** True without a call. */
  found: readonly WrittenItem[];
  refused: readonly Aside[];
  failed: readonly { items: readonly WrittenItem[]; outcome: { reason: string; retryAfterSeconds?: number } }[];
  gone: readonly WrittenItem[];
  hasLeft: boolean;
  /** The member's roles as read back; undefined when nothing was written. */
  roleIds?: readonly string[];
}

const nothing: Sent = { written: [], found: [], refused: [], failed: [], gone: [], hasLeft: false };
const lost = { reason: 'The platform took the change but does not show it.' };

/**
 * Sends changes of one member together. A refusal is laid at the smallest door: what it does not reach is sent again, and
 * one that does not say what it is about is split until that is known.
 */
export async function sendChanges(
  to: Recipient,
  items: readonly WrittenItem[],
  held: readonly string[],
): Promise<Sent> {
  const { free, aside } = to.findings.sort(items);
  const before: Sent = { ...nothing, refused: aside };
  const [first] = free;
  if (first === undefined) return before;
  const outcome = await to.host.writeMember(
    {
      communityId: to.community.community_id,
      userId: to.userId,
      add: rolesOf(free, 'grant'),
      remove: rolesOf(free, 'revoke'),
      held,
      reason: `Latchkey plan ${first.plan_id}`,
      ...(first.is_at_door && { isAtDoor: true }),
    },
    to.signal,
  );
  switch (outcome.kind) {
    case 'gone':
      return { ...before, gone: free };
    case 'failed':
      return { ...before, failed: [{ items: free, outcome }] };
    case 'forbidden':
      return merge(before, await isolate(to, free, held, outcome));
    case 'written': {
      const refused = (outcome.refused ?? []).flatMap((refusal) => reached(to, free, refusal));
      const tried = free.filter((item) => !refused.some((part) => part.items.includes(item)));
      const { done, left } = splitByTruth(tried, outcome.roleIds);
      return merge(before, {
        ...nothing,
        ...(outcome.calls > 0 ? { written: done } : { found: done }),
        refused,
        failed: left.length > 0 ? [{ items: left, outcome: lost }] : [],
        hasLeft: outcome.hasLeft ?? false,
        roleIds: outcome.roleIds,
      });
    }
  }
}

/** Finds out what a refusal reaches, and sends the rest. */
async function isolate(
  to: Recipient,
  items: readonly WrittenItem[],
  held: readonly string[],
  refusal: Refusal,
): Promise<Sent> {
  const refused = reached(to, items, refusal);
  const rest = items.filter((item) => !refused.some((part) => part.items.includes(item)));
  if (refused.length > 0) return sendInTurn(to, [rest], held, { ...nothing, refused });
  const [only, ...others] = items;
  if (only === undefined) return nothing;
  if (others.length === 0)
    return { ...nothing, refused: reached(to, items, { ...refusal, roleId: only.role_id, scope: 'change' }) };
  const search = async () => {
    const alone = { ...to, hasTurn: true };
    // Another member's search may have found the culprit meanwhile.
    if (to.findings.sort(items).aside.length > 0) return sendChanges(alone, items, held);
    const middle = Math.ceil(items.length / 2);
    return sendInTurn(alone, [items.slice(0, middle), items.slice(middle)], held, nothing);
  };
  return to.hasTurn ? search() : to.findings.alone(search);
}

async function sendInTurn(
  to: Recipient,
  parts: readonly (readonly WrittenItem[])[],
  held: readonly string[],
  before: Sent,
): Promise<Sent> {
  let sent = before;
  for (const part of parts) {
    const [failure] = sent.failed;
    // A platform that does not answer is not asked for the rest.
    if (failure !== undefined) sent = merge(sent, { ...nothing, failed: [{ ...failure, items: part }] });
    else if (part.length > 0) sent = merge(sent, await sendChanges(to, part, sent.roleIds ?? held));
  }
  return sent;
}

/** The changes that a refusal reaches, noted for the others; empty when it does not say. */
function reached(to: Recipient, items: readonly WrittenItem[], refusal: Refusal): Aside[] {
  const isForAll = refusal.scope === 'community' || refusal.scope === 'member';
  const culprits = isForAll ? items : items.filter((item) => item.role_id === refusal.roleId);
  if (culprits.length === 0) return [];
  to.findings.note(refusal, to.userId);
  return [{ items: culprits, refusal }];
}

function merge(a: Sent, b: Sent): Sent {
  return {
    written: [...a.written, ...b.written],
    found: [...a.found, ...b.found],
    refused: [...a.refused, ...b.refused],
    failed: [...a.failed, ...b.failed],
    gone: [...a.gone, ...b.gone],
    hasLeft: a.hasLeft || b.hasLeft,
    ...((b.roleIds ?? a.roleIds) && { roleIds: b.roleIds ?? a.roleIds ?? [] }),
  };
}

function rolesOf(items: readonly WrittenItem[], action: WrittenItem['action']): string[] {
  return items.filter((item) => item.action === action).map((item) => item.role_id);
}
