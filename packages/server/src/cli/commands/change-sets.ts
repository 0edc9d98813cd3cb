import {
  approveChangeSet,
  approveGrants,
  type ChangeSetOutcome,
  type ChangeSetRow,
  type Context,
  explainRole,
  getChangeSet,
  listBlockedRoles,
  listChangeSets,
  previewChangeSet,
  type RoleBreaker,
  readOutcomes,
  rejectAndRestore,
  rejectChangeSet,
  retryChangeSet,
  undoChangeSet,
} from '@latchkey/core';
import type { AuditAction } from '@latchkey/kernel';
import { type Command, need, numberOf, UsageError } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const changeSets: Command = {
  usage:
    'change-sets <community> | preview <community> | show <id> | approve|approve-grants|reject|retry|undo <id> [--restore-rule yes|no] [--reason "…"] | why <community> <user> <role> [--at <time>]',
  meaning:
    'show what role changes are pending or done, and why; approve, reject, retry or undo a change set, or approve only its grants',
  words: 4,
  options: {
    reason: option.reason,
    'restore-rule': option.short('yes or no: whether the rule that led to it is restored too.'),
    at: option.short('A time such as 2026-01-31T12:00:00Z.'),
    limit: option.limit,
  },
  run: async (ctx, [verb, id, user, role], options) => {
    switch (need(verb, 'community id')) {
      case 'preview':
        return printChangeSet(ctx, (await previewChangeSet(ctx, need(id, 'community id'), '*')).id, 20);
      case 'show':
        return printChangeSet(ctx, need(id, 'change set id'), numberOf(options.limit, 20, 'limit'));
      case 'approve':
        await decide(ctx, 'change-set.approve', id, options, (changeSetId) => approveChangeSet(ctx, changeSetId));
        return print('Approved. A worker applies the change set within the platform’s rate limits.');
      case 'approve-grants':
        await decide(ctx, 'change-set.approve-grants', id, options, (changeSetId) => approveGrants(ctx, changeSetId));
        return print('Approved the grants and rejected the removals. A worker applies the grants.');
      case 'reject':
        return reject(ctx, id, options);
      case 'retry':
        await decide(ctx, 'change-set.retry', id, options, (changeSetId) => retryChangeSet(ctx, changeSetId));
        return print('Retrying the change set. Changes that are no longer needed are skipped.');
      case 'undo': {
        const undo = await decide(ctx, 'change-set.undo', id, options, (changeSetId) =>
          undoChangeSet(ctx, changeSetId, { restoreRule: yesOrNo(options['restore-rule']) }),
        );
        const rules = undo.rule_change_ids.length === 0 ? '' : ' The rule that led to it is restored.';
        if (undo.status === 'held') return print(`The undo waits for approval: ${undo.id}. ${undo.note ?? ''}${rules}`);
        return print(`Undoing it with a new change set: ${undo.id}.${rules}`);
      }
      case 'why':
        return explain(ctx, need(id, 'community id'), need(user, 'user id'), need(role, 'role id'), options.at);
      default:
        return printChangeSets(ctx, need(verb, 'community id'), numberOf(options.limit, 20, 'limit'));
    }
  },
};

async function reject(
  ctx: Context,
  id: string | undefined,
  options: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (yesOrNo(options['restore-rule']) !== true) {
    await decide(ctx, 'change-set.reject', id, options, (changeSetId) => rejectChangeSet(ctx, changeSetId));
    return print('Rejected. Members keep their roles.');
  }
  await decide(ctx, 'change-set.reject-and-restore', id, options, (changeSetId) => rejectAndRestore(ctx, changeSetId));
  print('Rejected. The rule that led to it is restored, and members are checked against it.');
}

function yesOrNo(value: string | undefined): boolean | undefined {
  if (value !== undefined && value !== 'yes' && value !== 'no')
    throw new UsageError('--restore-rule must be yes or no.');
  return value === undefined ? undefined : value === 'yes';
}

async function decide<Result>(
  ctx: Context,
  action: Extract<AuditAction, `change-set.${string}`>,
  id: string | undefined,
  { reason }: Readonly<Record<string, string | undefined>>,
  work: (changeSetId: string) => Promise<Result>,
): Promise<Result> {
  const target = need(id, 'change set id');
  const communityId = await getChangeSet(ctx, target, { limit: 1 }).then(
    ({ changeSet }) => changeSet.community_id,
    () => undefined,
  );
  return runAudited(ctx, { action, target, communityId, reason }, () => work(target));
}

const headings = ['CHANGE SET', 'STATUS', 'CAUSE', 'GRANTS', 'REMOVALS', 'DROPPED', 'FAILED', 'UNKNOWN', 'CREATED'];

/** Shows written grants and removals out of the planned ones. */
function row(changeSet: ChangeSetRow, { dropped, failed }: ChangeSetOutcome): string[] {
  const { id, status, cause, grants, revokes, written_grants, written_revokes, unknowns, created_at } = changeSet;
  return [
    id,
    status,
    cause,
    `${written_grants}/${grants}`,
    `${written_revokes}/${revokes}`,
    String(dropped),
    String(failed),
    String(unknowns),
    created_at.toISOString(),
  ];
}

async function printChangeSets(ctx: Context, communityId: string, limit: number): Promise<void> {
  const { items } = await listChangeSets(ctx, communityId, { limit });
  const outcomeOf = await readOutcomes(ctx, items);
  printTable([headings, ...items.map((changeSet) => row(changeSet, outcomeOf(changeSet)))]);
  for (const stop of await listBlockedRoles(ctx, communityId)) print(`\n${describeBreaker(stop)}`);
}

function describeBreaker({ roleId, userId, advice, since }: RoleBreaker): string {
  const what = roleId === undefined ? 'Roles' : `The role ${roleId}`;
  const whose = userId === undefined ? '' : ` of ${userId}`;
  return `${what}${whose} cannot be written since ${since.toISOString()}: ${advice}`;
}

async function printChangeSet(ctx: Context, changeSetId: string, limit: number): Promise<void> {
  const { changeSet, items } = await getChangeSet(ctx, changeSetId, { limit });
  const outcome = (await readOutcomes(ctx, [changeSet]))(changeSet);
  printTable([headings, row(changeSet, outcome)]);
  for (const { reason, changes } of outcome.dropReasons) print(`${changes} dropped: ${reason}`);
  if (changeSet.note !== null) print(`\n${changeSet.note}`);
  print('');
  printTable([
    ['MEMBER', 'ROLE', 'CHANGE', 'STATE', 'TROUBLE'],
    ...items.items.map((item) => [
      item.user_id,
      item.role_id,
      item.action,
      item.state,
      item.drop_reason ?? item.last_error ?? '',
    ]),
  ]);
  const left = changeSet.grants + changeSet.revokes - items.items.length;
  if (left > 0) print(`… and ${left} more; --limit shows up to 100.`);
}

async function explain(
  ctx: Context,
  communityId: string,
  userId: string,
  roleId: string,
  time: string | undefined,
): Promise<void> {
  const at = time === undefined ? ctx.clock() : new Date(time);
  if (Number.isNaN(at.getTime())) throw new UsageError('--at must be a time such as 2026-01-31T12:00:00Z.');
  const { had, entry } = await explainRole(ctx, { communityId, userId, roleId, at });
  print(
    `${userId} ${had ? 'had' : 'did not have'} the role ${roleId} at ${at.toISOString()}, according to the ledger.`,
  );
  if (entry === undefined) return print('The ledger has no entry before that time.');
  print(`It was a ${entry.action} of change set ${entry.change_set_id} at ${entry.at.toISOString()}, because:`);
  print(JSON.stringify(entry.reason, null, 2));
}
