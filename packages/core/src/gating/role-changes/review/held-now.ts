import type { Tx } from '@latchkey/db';
import { AppError, addSeconds } from '@latchkey/kernel';
import { enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import type { Context } from '../../../shared/context.ts';
import { grouped } from '../../../shared/numbers.ts';
import { readApprovalPolicy } from '../../approval-policies/index.ts';
import { countHeldNow, type HeldNow, selectWaitingMembers, startRefresh } from '../planning/held-queries.ts';
import { describeHeld, findHeld } from '../planning/make-change-set.ts';
import type { ChangeSetRow } from '../tables.ts';

/**
 * Replaces the note of held change sets of one community by one with the numbers of now: how many members wait, of how
 * many who have the role, and what changed since it was held. The stored note says why it was held then.
 */
export async function withCurrentNotes(
  ctx: Pick<Context, 'clock' | 'db' | 'settings'>,
  changeSets: readonly ChangeSetRow[],
): Promise<ChangeSetRow[]> {
  const held = changeSets.filter(({ status }) => status === 'held');
  const [first] = held;
  if (first === undefined) return [...changeSets];
  const { system } = ctx.db;
  const policy = await readApprovalPolicy(ctx, system, first.community_id);
  const ids = held.map(({ id }) => id);
  const counted = Map.groupBy(await countHeldNow(system, ids), ({ changeSetId }) => changeSetId);
  const notes = new Map<string, string>();
  for (const { id, community_id, note, undoes } of held) {
    const shares = counted.get(id) ?? [];
    const losing = new Map(
      shares.flatMap(({ roleId, action, waiting }) => (action === 'revoke' && waiting > 0 ? [[roleId, waiting]] : [])),
    );
    const options = { countsUndos: undoes !== null };
    const standing = await findHeld(ctx, system, community_id, losing, policy, options);
    const stillWaiting = shares.filter(({ waiting }) => waiting > 0);
    const parts = [
      describeHeld(standing, stillWaiting, policy),
      ...[...losing].flatMap(([roleId, members]) => (standing.has(roleId) ? [] : [withinLimits(roleId, members)])),
      ...(note === null ? [] : (/Quiet hours: [^.]+\.[^.]+\./.exec(note) ?? [])),
      changesSince(shares),
    ];
    notes.set(id, parts.filter((part) => part !== '').join(' '));
  }
  return changeSets.map((row) => ({ ...row, note: notes.get(row.id) ?? row.note }));
}

function withinLimits(roleId: string, members: number): string {
  return `${grouped(members)} members with the role ${roleId} would lose it, which is within the limits now.`;
}

function changesSince(shares: readonly HeldNow[]): string {
  const sum = (which: 'joined' | 'dropped') => shares.reduce((total, share) => total + share[which], 0);
  const [joined, dropped] = [sum('joined'), sum('dropped')];
  const parts = [
    ...(dropped > 0 ? [`${grouped(dropped)} no longer needed`] : []),
    ...(joined > 0 ? [`${grouped(joined)} added`] : []),
  ];
  return parts.length === 0 ? '' : `Since it was held: ${parts.join(', ')}.`;
}

/** A check at most this often, of this many members, however often a change set is opened. */
const refreshPauseSeconds = 10 * 60;
const mostRefreshed = 2_500;

/**
 * Queues a check of the members of a held change set that an admin opens, so that what is no longer needed leaves it.
 * Suppressions stay. The rest is checked by the next scheduled check.
 */
export async function refreshHeld(ctx: Context, { id, status, community_id }: ChangeSetRow): Promise<void> {
  if (status !== 'held') return;
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    if (!(await startRefresh(tx, id, addSeconds(now, -refreshPauseSeconds), now))) return;
    const members = await selectWaitingMembers(tx, id, mostRefreshed);
    if (members.length > 0) await enqueueReconcile(tx, { communityId: community_id, members, cause: 'schedule' });
  });
}

/** Refuses a decision about other changes than the admin saw. */
export async function refuseIfChanged(
  tx: Tx,
  { id }: Pick<ChangeSetRow, 'id'>,
  seen: number | undefined,
): Promise<void> {
  if (seen === undefined) return;
  const waiting = (await countHeldNow(tx, [id])).reduce((sum, share) => sum + share.waiting, 0);
  if (waiting === seen) return;
  throw new AppError(
    'STATE_CONFLICT',
    `These role changes were updated: ${grouped(waiting)} are waiting now, not ${grouped(seen)}. Look at them again before you decide.`,
  );
}
