import { AppError, type AuditAction, notFound, T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import { administersCommunity, requireCommunityAdmin } from '../../communities/access/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { reasonInWords } from '../../gating/evaluation/index.ts';
import { readNames } from '../../gating/naming/index.ts';
import {
  approveChangeSet,
  approveGrants,
  type ChangeSetRow,
  type ChangeSetShare,
  getChangeSet,
  listBlockedRoles,
  listChangeSets,
  planRestore,
  previewUndo,
  readOutcomes,
  rejectAndRestore,
  rejectChangeSet,
  summarizeChangeSet,
  undoChangeSet,
} from '../../gating/role-changes/index.ts';
import { listRuleHealth } from '../../gating/rule-health/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { grouped } from '../../shared/numbers.ts';
import { answer, type BotAnswer, type BotButton } from './answer.ts';
import {
  changeSetInWords,
  changesInWords,
  decisionInWords,
  membersInWords,
  noteInWords,
  timeInWords,
} from './change-set-words.ts';
import { linkToChangeSet, linkToChangeSets, linkToRules } from './console-links.ts';

export const changeSetId = text('The id of the role changes', { maxLength: 64, pattern: '^[\\w-]+$' });
export const changeCount = text('How many changes were shown', { maxLength: 9, pattern: '^\\d+$' });

/** The input of commands about change sets, the same on every platform. */
const readChangeSetInput = validatorOf(T.Object({ id: changeSetId, count: T.Optional(changeCount) }), {
  what: 'The command',
  unknownFields: 'refuse',
});

const shownChangeSets = 5;
const shownMembers = 10;

/** Lists the latest change sets, and what prevents roles from being written. */
async function answerChanges(ctx: Context, community: CommunityRow): Promise<BotAnswer> {
  const { items: changeSets } = await listChangeSets(ctx, community.id, { limit: shownChangeSets });
  const stops = await listBlockedRoles(ctx, community.id);
  if (changeSets.length === 0 && stops.length === 0) return answer('No roles have been changed here yet.');
  const names = await readNames(
    ctx,
    community,
    changeSets.flatMap(({ decided_by }) => decided_by ?? []),
  );
  const outcomeOf = await readOutcomes(ctx, changeSets);
  const lines = await Promise.all(
    changeSets.map(async (changeSet) => {
      const shares = await summarizeChangeSet(ctx, changeSet.id);
      const words = changeSetInWords(changeSet, shares, outcomeOf(changeSet), names);
      return `• ${words} Id: ${changeSet.id}`;
    }),
  );
  const blocked = stops.map(
    ({ roleId, advice, since }) =>
      `• Blocked since ${timeInWords(since)}: ${roleId === undefined ? 'all roles' : names.role(roleId)}. ${advice}`,
  );
  return answer(
    [...blocked, ...lines].join('\n'),
    changeSets.filter(isOpen).flatMap(buttonsOf),
    linkToChangeSets(ctx, community),
  );
}

const shownRules = 15;

const healthInWords = {
  ok: 'works',
  degraded: 'cannot be decided at the moment',
  undecidable: 'can never be decided here',
  unknown: 'not checked yet',
} as const;

/** Lists the rules, how many members meet each, and what prevents some from being decided. */
async function answerRules(ctx: Context, community: CommunityRow): Promise<BotAnswer> {
  const { items, paginationToken } = await listRuleHealth(ctx, { communityId: community.id, limit: shownRules });
  if (items.length === 0) return answer('There are no rules here yet.', [], linkToRules(ctx, community));
  const names = await readNames(ctx, community, []);
  const lines = items.map(({ ruleId, roleId, health }) => {
    const { state, problems, qualifying } = health;
    const members = qualifying === undefined ? '' : `, met by ${membersInWords(qualifying)}`;
    const why =
      state === 'ok' ? [] : problems.slice(0, 1).flatMap(({ message, action }) => [message, action ?? []].flat());
    const words = `${names.rule(ruleId) ?? ruleId} (${names.role(roleId)}): ${healthInWords[state]}${members}.`;
    return `• ${[words, ...why].join(' ')}`;
  });
  const more = paginationToken === undefined ? [] : ['… and more in the console.'];
  return answer([...lines, ...more].join('\n'), [], linkToRules(ctx, community));
}

/** Shows one change set: what it changes, whose roles, and why. */
export async function answerShow(ctx: Context, community: CommunityRow, changeSetId: string): Promise<BotAnswer> {
  const { changeSet, items } = await getChangeSet(ctx, changeSetId, { limit: shownMembers });
  refuseForeign(changeSet, community);
  const shares = await summarizeChangeSet(ctx, changeSetId);
  const people = [
    ...items.items.map(({ user_id }) => user_id),
    ...(changeSet.decided_by === null ? [] : [changeSet.decided_by]),
  ];
  const names = await readNames(ctx, community, people);
  const lines = items.items.map(({ user_id, role_id, action, reason, last_error }) => {
    const verb = action === 'grant' ? 'gets' : 'loses';
    const why = [...reasonInWords(reason, names, 'other'), ...(last_error === null ? [] : [last_error])].join(' ');
    return `• ${names.member(user_id)} ${verb} ${names.role(role_id)}. ${why}`.trim();
  });
  const left = changeSet.grants + changeSet.revokes - lines.length;
  const outcomeOf = await readOutcomes(ctx, [changeSet]);
  const text = [
    changeSetInWords(changeSet, shares, outcomeOf(changeSet), names),
    noteInWords(
      changeSet,
      shares.map(({ roleId }) => roleId),
      names,
    ),
    ...lines,
    ...(left > 0 ? [`… and ${grouped(left)} more changes.`] : []),
  ];
  const shown = text.filter((line) => line !== '').join('\n');
  const buttons = [...buttonsOf(changeSet), ...(await restoreButton(ctx, changeSet))];
  return answer(shown, buttons, linkToChangeSet(ctx, community, changeSetId));
}

/**
 * Asks for confirmation with the number of changes. The number comes back with the approval, so that it applies only to
 * what was shown.
 */
async function answerApprove(
  ctx: Context,
  community: CommunityRow,
  changeSetId: string,
  count?: string,
): Promise<BotAnswer> {
  const changeSet = await ownChangeSet(ctx, community, changeSetId);
  const shares = await summarizeChangeSet(ctx, changeSetId);
  const waiting = countWaiting(shares);
  if (changeSet.status !== 'held' && changeSet.status !== 'previewed') return decided(ctx, community, changeSet);
  if (count !== String(waiting.all)) {
    const changed = count === undefined || count === '' ? '' : 'These role changes have been updated. ';
    return answer(
      `${changed}Approve ${changesInWords(waiting.grants, waiting.revokes)}? Members gain or lose these roles immediately.`,
      [
        {
          label: `Approve ${changesInWords(waiting.grants, waiting.revokes)}`,
          words: ['approve', changeSetId, String(waiting.all)],
        },
        ...(waiting.grants > 0 && waiting.revokes > 0
          ? [{ label: `Approve ${changesInWords(waiting.grants, 0)} only…`, words: ['approve_grants', changeSetId] }]
          : []),
        { label: 'Show', words: ['show', changeSetId] },
      ],
      linkToChangeSet(ctx, community, changeSetId),
    );
  }
  await approveChangeSet(ctx, changeSetId);
  await putOnRecord(ctx, 'change-set.approve', community.id, changeSetId);
  return answer(`Approved: ${changesInWords(waiting.grants, waiting.revokes)}. The roles are being changed.`, [
    undoButton(changeSetId),
  ]);
}

/** Asks again, with what is approved and what is rejected. */
async function answerApproveGrants(
  ctx: Context,
  community: CommunityRow,
  changeSetId: string,
  count?: string,
): Promise<BotAnswer> {
  const changeSet = await ownChangeSet(ctx, community, changeSetId);
  const waiting = countWaiting(await summarizeChangeSet(ctx, changeSetId));
  if (changeSet.status !== 'held' && changeSet.status !== 'previewed') return decided(ctx, community, changeSet);
  const [grants, removals] = [changesInWords(waiting.grants, 0), changesInWords(0, waiting.revokes)];
  if (waiting.grants > 0 && count !== String(waiting.all))
    return answer(
      `Approve ${grants} and reject ${removals}? ${keptInWords}`,
      [{ label: `Approve ${grants} only`, words: ['approve_grants', changeSetId, String(waiting.all)] }],
      linkToChangeSet(ctx, community, changeSetId),
    );
  await approveGrants(ctx, changeSetId);
  await putOnRecord(ctx, 'change-set.approve-grants', community.id, changeSetId);
  return answer(`Approved: ${grants}. Rejected: ${removals}. ${keptInWords}`, [undoButton(changeSetId)]);
}

const keptInWords = 'Members keep the roles that would be removed until you start a check or change the rule.';

async function answerReject(ctx: Context, community: CommunityRow, changeSetId: string): Promise<BotAnswer> {
  const changeSet = await ownChangeSet(ctx, community, changeSetId);
  if (changeSet.status !== 'held' && changeSet.status !== 'previewed') return decided(ctx, community, changeSet);
  await rejectChangeSet(ctx, changeSetId);
  await putOnRecord(ctx, 'change-set.reject', community.id, changeSetId);
  return answer('Rejected. Members keep their roles until you start a check or change the rule.');
}

/** Asks again, with the rules that go back to their version before. */
async function answerRejectAndRestore(
  ctx: Context,
  community: CommunityRow,
  changeSetId: string,
  count?: string,
): Promise<BotAnswer> {
  const changeSet = await ownChangeSet(ctx, community, changeSetId);
  if (changeSet.status !== 'held') return decided(ctx, community, changeSet);
  const { grants, revokes, all } = countWaiting(await summarizeChangeSet(ctx, changeSetId));
  const rules = await restorableRules(ctx, changeSet);
  if (rules.length > 0 && count !== String(all)) {
    const edited = rules.some(({ laterChangeId }) => laterChangeId !== undefined)
      ? ' Later edits of the rule are reverted too.'
      : '';
    return answer(
      `Reject ${changesInWords(grants, revokes)} and restore the rule to the version before?${edited} Members are then checked against it.`,
      [{ label: 'Reject and restore the rule', words: ['reject_restore', changeSetId, String(all)] }],
      linkToChangeSet(ctx, community, changeSetId),
    );
  }
  await rejectAndRestore(ctx, changeSetId);
  await putOnRecord(ctx, 'change-set.reject-and-restore', community.id, changeSetId);
  return answer('Rejected, and the rule is restored to the version before. Members are checked against it.');
}

async function restoreButton(ctx: Context, changeSet: ChangeSetRow): Promise<BotButton[]> {
  if (changeSet.status !== 'held' || (await restorableRules(ctx, changeSet)).length === 0) return [];
  return [{ label: 'Reject and restore the rule…', words: ['reject_restore', changeSet.id] }];
}

async function restorableRules(ctx: Context, changeSet: ChangeSetRow) {
  const { rules } = await planRestore(ctx.db.system, changeSet);
  return rules.filter(({ before }) => before !== null);
}

/**
 * Asks for confirmation with what an undo does now: later changes stay, and a rule whose change led to it is restored
 * to the version before, unless the admin wants to undo only the roles.
 */
async function answerUndo(
  ctx: Context,
  community: CommunityRow,
  changeSetId: string,
  count: string | undefined,
  restoreRule?: false,
): Promise<BotAnswer> {
  await ownChangeSet(ctx, community, changeSetId);
  const { totals, restoresRule, rules } = await previewUndo(ctx, changeSetId, { restoreRule, limit: 1 });
  const all = String(totals.grants + totals.revokes);
  const words = changesInWords(totals.grants, totals.revokes);
  const rule = restoresRule ? ' The rule is restored to the version before.' : '';
  if (count !== all) {
    const skipped = totals.superseded === 0 ? '' : ` ${skippedInWords(totals.superseded)}`;
    const edited = rules.some(({ laterChangeId }) => laterChangeId !== undefined)
      ? ' The rule that led to them was edited since and stays as it is.'
      : '';
    return answer(
      `Undo these role changes? That means ${words}, and cancels the rest.${skipped}${rule}${restoreRule === false ? '' : edited}`,
      [
        { label: `Undo: ${words}`, words: [restoreRule === false ? 'undo_roles' : 'undo', changeSetId, all] },
        ...(restoresRule ? [{ label: 'Undo roles only, keep the rule', words: ['undo_roles', changeSetId, all] }] : []),
      ],
      linkToChangeSet(ctx, community, changeSetId),
    );
  }
  const undo = await undoChangeSet(ctx, changeSetId, { restoreRule: restoresRule });
  await putOnRecord(ctx, 'change-set.undo', community.id, changeSetId);
  return answer(`Undone: ${words}. The roles are being restored (id ${undo.id}).${rule}`);
}

function skippedInWords(superseded: number): string {
  return superseded === 1
    ? '1 change is skipped because a later one replaced it.'
    : `${grouped(superseded)} changes are skipped because later ones replaced them.`;
}

/** The buttons that apply to a change set in its current status. */
export function buttonsOf({ id, status }: Pick<ChangeSetRow, 'id' | 'status'>): BotButton[] {
  const tag = id.slice(0, 6);
  const show: BotButton = { label: `Show ${tag}`, words: ['show', id] };
  if (status === 'held' || status === 'previewed')
    return [
      show,
      { label: `Approve ${tag}…`, words: ['approve', id] },
      { label: `Reject ${tag}`, words: ['reject', id] },
    ];
  return isOpen({ status }) ? [show, undoButton(id)] : [show];
}

function undoButton(changeSetId: string): BotButton {
  return { label: `Undo ${changeSetId.slice(0, 6)}…`, words: ['undo', changeSetId] };
}

function isOpen({ status }: Pick<ChangeSetRow, 'status'>): boolean {
  return status !== 'undone' && status !== 'rejected' && status !== 'dropped';
}

function countWaiting(shares: readonly ChangeSetShare[]) {
  const of = (action: ChangeSetShare['action']) =>
    shares.filter((share) => share.action === action).reduce((sum, share) => sum + share.waiting, 0);
  const [grants, revokes] = [of('grant'), of('revoke')];
  return { grants, revokes, all: grants + revokes };
}

/** The community of a change set that the caller may decide on, for chats that do not determine it. */
export async function communityOfChangeSet(ctx: Context, changeSetId: string): Promise<CommunityRow> {
  readChangeSetInput({ id: changeSetId });
  const { changeSet } = await getChangeSet(ctx, changeSetId, { limit: 1 });
  const community = await selectCommunity(ctx.db.system, changeSet.community_id);
  if (community === undefined) throw notFound('role changes');
  return community;
}

async function ownChangeSet(ctx: Context, community: CommunityRow, changeSetId: string): Promise<ChangeSetRow> {
  const { changeSet } = await getChangeSet(ctx, changeSetId, { limit: 1 });
  refuseForeign(changeSet, community);
  return changeSet;
}

/** An admin may manage several communities; a command applies to the one it is sent in. */
function refuseForeign(changeSet: ChangeSetRow, community: CommunityRow): void {
  if (changeSet.community_id !== community.id)
    throw new AppError('ENTITY_NOT_FOUND', 'Role changes not found in this community.');
}

async function decided(ctx: Context, community: CommunityRow, changeSet: ChangeSetRow): Promise<BotAnswer> {
  const names = await readNames(ctx, community, changeSet.decided_by === null ? [] : [changeSet.decided_by]);
  const when = changeSet.decided_at === null ? '' : `${timeInWords(changeSet.decided_at)}: `;
  return answer(
    `${when}These role changes were already approved or rejected.${decisionInWords(changeSet, names)}`,
    buttonsOf(changeSet),
  );
}

function putOnRecord(ctx: Context, action: AuditAction, communityId: string, changeSetId: string): Promise<void> {
  return recordAudit(ctx.db.system, auditOf(ctx, action, { communityId, target: changeSetId }));
}

type Run = (ctx: Context, community: CommunityRow, changeSetId: string, count?: string) => Promise<BotAnswer>;

/** The bot commands of admins, the same on every platform. */
export const adminWords = {
  health: (ctx, community) => answerRules(ctx, community),
  changes: (ctx, community) => answerChanges(ctx, community),
  show: answerShow,
  approve: answerApprove,
  approve_grants: answerApproveGrants,
  reject: answerReject,
  reject_restore: answerRejectAndRestore,
  undo: (ctx, community, id, count) => answerUndo(ctx, community, id, count),
  undo_roles: (ctx, community, id, count) => answerUndo(ctx, community, id, count, false),
} as const satisfies Readonly<Record<string, Run>>;

export type AdminWord = keyof typeof adminWords;

export function isAdminWord(word: string): word is AdminWord {
  return Object.hasOwn(adminWords, word);
}

/** Runs an admin command, after checking with the platform that the caller is still an admin. Errors become replies. */
export async function runAdminWord(
  ctx: Context,
  community: CommunityRow,
  word: AdminWord,
  [changeSetId = '', count]: readonly string[] = [],
): Promise<BotAnswer> {
  const isList = word === 'changes' || word === 'health';
  if (!isList && changeSetId === '') return answer(`Usage: ${word} <id>. The command "changes" lists the ids.`);
  try {
    if (!isList) readChangeSetInput({ id: changeSetId, ...(count !== undefined && { count }) });
    await requireAdmin(ctx, community.id);
    const run: Run = adminWords[word];
    return await run(ctx, community, changeSetId, count);
  } catch (error) {
    if (error instanceof AppError) return answer(error.message);
    throw error;
  }
}

/** Admits only admins who still manage the community on the platform. */
export async function requireAdmin(ctx: Context, communityId: string): Promise<void> {
  if (!(await administersCommunity(ctx, communityId)))
    throw new AppError('ROLE_NOT_ALLOWED', 'Only admins of this community can do that.');
  await requireCommunityAdmin(ctx, communityId);
}
