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
  refreshHeld,
  rejectAndRestore,
  rejectChangeSet,
  summarizeChangeSet,
  undoChangeSet,
} from '../../gating/role-changes/index.ts';
import { listRuleHealth } from '../../gating/rule-health/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages as t } from '../../shared/messages/index.ts';
import {
  answer,
  answerInParts,
  type BotAnswer,
  type BotButton,
  linkToChangeSet,
  linkToChangeSets,
  linkToRules,
} from './answer.ts';
import { changeSetInWords, changesInWords, decisionInWords, noteInWords, timeInWords } from './change-set-words.ts';

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
  if (changeSets.length === 0 && stops.length === 0) return answer(t('changes.none'));
  const names = await readNames(
    ctx,
    community,
    changeSets.flatMap(({ decided_by }) => decided_by ?? []),
  );
  const outcomeOf = await readOutcomes(ctx, changeSets);
  const shown = await Promise.all(
    changeSets.map(async (changeSet) => {
      const shares = await summarizeChangeSet(ctx, changeSet.id);
      const change = changeSetInWords(changeSet, shares, outcomeOf(changeSet), names);
      const text = `• ${t('changes.line', { change, id: changeSet.id })}`;
      return { text, buttons: isOpen(changeSet) ? buttonsOf(changeSet) : [] };
    }),
  );
  const blocked = stops.map(({ roleId, advice, since: at }) => {
    const since = timeInWords(at);
    const role = roleId && names.role(roleId);
    return `• ${role === undefined ? t('changes.blockedAll', { since, advice }) : t('changes.blockedRole', { since, role, advice })}`;
  });
  return answerInParts([...blocked.map((text) => ({ text, buttons: [] })), ...shown], linkToChangeSets(ctx, community));
}

const shownRules = 15;

/**
 * Lists the rules, how many members meet each, and what prevents some from being decided: all, or those with the words
 * in their name or in that of their role.
 */
export async function answerRules(ctx: Context, community: CommunityRow, words = ''): Promise<BotAnswer> {
  const names = await readNames(ctx, community, []);
  const wanted = words.trim().toLowerCase();
  const { items, paginationToken } = await listRuleHealth(ctx, {
    communityId: community.id,
    limit: shownRules,
    ...(wanted !== '' && {
      isWanted: ({ ruleId, roleId }) =>
        [names.rule(ruleId) ?? ruleId, names.role(roleId)].some((name) => name.toLowerCase().includes(wanted)),
    }),
  });
  if (items.length === 0) {
    const nothing = wanted === '' ? t('health.noRules') : t('health.notFound', { words: words.trim() });
    return answer(nothing, [], linkToRules(ctx, community));
  }
  const lines = items.map(({ ruleId, roleId, health }) => {
    const { state, problems, qualifying } = health;
    const why =
      state === 'ok' ? [] : problems.slice(0, 1).flatMap(({ message, action }) => [message, action ?? []].flat());
    const rule = { rule: names.rule(ruleId) ?? ruleId, role: names.role(roleId), state };
    const words =
      qualifying === undefined ? t('health.line', rule) : t('health.lineMet', { ...rule, count: qualifying });
    return `• ${[words, ...why].join(' ')}`;
  });
  const more = paginationToken === undefined ? [] : [t('health.more')];
  return answer([...lines, ...more].join('\n'), [], linkToRules(ctx, community));
}

/** Shows one change set: what it changes, whose roles, and why. */
export async function answerShow(ctx: Context, community: CommunityRow, changeSetId: string): Promise<BotAnswer> {
  const { changeSet, items } = await getChangeSet(ctx, changeSetId, { limit: shownMembers });
  refuseForeign(changeSet, community);
  await refreshHeld(ctx, changeSet);
  const shares = await summarizeChangeSet(ctx, changeSetId);
  const people = [
    ...items.items.map(({ user_id }) => user_id),
    ...(changeSet.decided_by === null ? [] : [changeSet.decided_by]),
  ];
  const names = await readNames(ctx, community, people);
  const lines = items.items.map(({ user_id, role_id, action, reason, last_error }) => {
    const change = { member: names.member(user_id), role: names.role(role_id) };
    const words = action === 'grant' ? t('changes.gets', change) : t('changes.loses', change);
    const why = [...reasonInWords(reason, names, 'other'), ...(last_error === null ? [] : [last_error])].join(' ');
    return `• ${words} ${why}`.trim();
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
    ...(left > 0 ? [t('changes.more', { count: left })] : []),
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
    const changes = changesInWords(waiting.grants, waiting.revokes);
    const onlyGrants = t('approve.onlyGrants', { grants: changesInWords(waiting.grants, 0) });
    return answer(
      t(count === undefined || count === '' ? 'approve.ask' : 'approve.askAgain', { changes }),
      [
        { label: t('approve.confirm', { changes }), words: ['approve', changeSetId, String(waiting.all)] },
        ...(waiting.grants > 0 && waiting.revokes > 0
          ? [{ label: onlyGrants, words: ['approve_grants', changeSetId] }]
          : []),
        { label: t('button.show'), words: ['show', changeSetId] },
      ],
      linkToChangeSet(ctx, community, changeSetId),
    );
  }
  await approveChangeSet(ctx, changeSetId, { seen: waiting.all });
  await audit(ctx, 'change-set.approve', community.id, changeSetId);
  return answer(t('approve.done', { changes: changesInWords(waiting.grants, waiting.revokes) }), [
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
      t('approveGrants.ask', { grants, removals }),
      [{ label: t('approveGrants.confirm', { grants }), words: ['approve_grants', changeSetId, String(waiting.all)] }],
      linkToChangeSet(ctx, community, changeSetId),
    );
  await approveGrants(ctx, changeSetId, { seen: waiting.all });
  await audit(ctx, 'change-set.approve-grants', community.id, changeSetId);
  return answer(t('approveGrants.done', { grants, removals }), [undoButton(changeSetId)]);
}

async function answerReject(ctx: Context, community: CommunityRow, changeSetId: string): Promise<BotAnswer> {
  const changeSet = await ownChangeSet(ctx, community, changeSetId);
  if (changeSet.status !== 'held' && changeSet.status !== 'previewed') return decided(ctx, community, changeSet);
  await rejectChangeSet(ctx, changeSetId);
  await audit(ctx, 'change-set.reject', community.id, changeSetId);
  return answer(t('reject.done'));
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
    const isEdited = rules.some(({ laterChangeId }) => laterChangeId !== undefined);
    return answer(
      t(isEdited ? 'restore.askEdited' : 'restore.ask', { changes: changesInWords(grants, revokes) }),
      [{ label: t('restore.confirm'), words: ['reject_restore', changeSetId, String(all)] }],
      linkToChangeSet(ctx, community, changeSetId),
    );
  }
  await rejectAndRestore(ctx, changeSetId);
  await audit(ctx, 'change-set.reject-and-restore', community.id, changeSetId);
  return answer(t('restore.done'));
}

async function restoreButton(ctx: Context, changeSet: ChangeSetRow): Promise<BotButton[]> {
  if (changeSet.status !== 'held' || (await restorableRules(ctx, changeSet)).length === 0) return [];
  return [{ label: t('restore.button'), words: ['reject_restore', changeSet.id] }];
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
  const { totals, restoresRule, rules, heldBecause } = await previewUndo(ctx, changeSetId, { restoreRule, limit: 1 });
  const all = String(totals.grants + totals.revokes);
  const changes = changesInWords(totals.grants, totals.revokes);
  const restored = restoresRule ? [t('undo.restores')] : [];
  if (count !== all) {
    const isEdited = restoreRule !== false && rules.some(({ laterChangeId }) => laterChangeId !== undefined);
    const sentences = [
      t('undo.ask', { changes }),
      ...(totals.superseded === 0 ? [] : [t('undo.skipped', { count: totals.superseded })]),
      ...restored,
      ...(isEdited ? [t('undo.edited')] : []),
      ...(heldBecause === undefined ? [] : [t('undo.waits')]),
    ];
    return answer(
      sentences.join(' '),
      [
        {
          label: t('undo.confirm', { changes }),
          words: [restoreRule === false ? 'undo_roles' : 'undo', changeSetId, all],
        },
        ...(restoresRule ? [{ label: t('undo.rolesOnly'), words: ['undo_roles', changeSetId, all] }] : []),
      ],
      linkToChangeSet(ctx, community, changeSetId),
    );
  }
  const undo = await undoChangeSet(ctx, changeSetId, { restoreRule: restoresRule });
  await audit(ctx, 'change-set.undo', community.id, changeSetId);
  if (undo.status === 'held')
    return answer([t('undo.held', { changes, id: undo.id }), ...restored].join(' '), buttonsOf(undo));
  return answer([t('undo.done', { changes, id: undo.id }), ...restored].join(' '));
}

/** The buttons that apply to a change set in its current status. */
export function buttonsOf({ id, status }: Pick<ChangeSetRow, 'id' | 'status'>): BotButton[] {
  const tag = id.slice(0, 6);
  const show: BotButton = { label: t('button.showOne', { id: tag }), words: ['show', id] };
  if (status === 'held' || status === 'previewed')
    return [
      show,
      { label: t('button.approve', { id: tag }), words: ['approve', id] },
      { label: t('button.reject', { id: tag }), words: ['reject', id] },
    ];
  return isOpen({ status }) ? [show, undoButton(id)] : [show];
}

function undoButton(changeSetId: string): BotButton {
  return { label: t('button.undo', { id: changeSetId.slice(0, 6) }), words: ['undo', changeSetId] };
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
  if (changeSet.community_id !== community.id) throw new AppError('ENTITY_NOT_FOUND', t('changes.notFound'));
}

async function decided(ctx: Context, community: CommunityRow, changeSet: ChangeSetRow): Promise<BotAnswer> {
  const names = await readNames(ctx, community, changeSet.decided_by === null ? [] : [changeSet.decided_by]);
  const at = changeSet.decided_at;
  const words = at === null ? t('changes.decided') : t('changes.decidedAt', { at: timeInWords(at) });
  return answer(`${words} ${decisionInWords(changeSet, names)}`.trim(), buttonsOf(changeSet));
}

function audit(ctx: Context, action: AuditAction, communityId: string, changeSetId: string): Promise<void> {
  return recordAudit(ctx.db.system, auditOf(ctx, action, { communityId, target: changeSetId }));
}

type Run = (ctx: Context, community: CommunityRow, changeSetId: string, count?: string) => Promise<BotAnswer>;

/** The bot commands of admins, the same on every platform. */
export const adminCommands = {
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

export type AdminCommand = keyof typeof adminCommands;

export function isAdminCommand(word: string): word is AdminCommand {
  return Object.hasOwn(adminCommands, word);
}

/** Runs an admin command, after checking with the platform that the caller is still an admin. Errors become replies. */
export async function runAdminCommand(
  ctx: Context,
  community: CommunityRow,
  word: AdminCommand,
  [changeSetId = '', count]: readonly string[] = [],
): Promise<BotAnswer> {
  const isList = word === 'changes' || word === 'health';
  if (!isList && changeSetId === '') return answer(t('changes.usage', { command: word }));
  try {
    if (!isList) readChangeSetInput({ id: changeSetId, ...(count !== undefined && { count }) });
    await requireAdmin(ctx, community.id);
    const run: Run = adminCommands[word];
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
