import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectManualChanges } from '../../gating/manual-changes/index.ts';
import { getChangeSet, summarizeChangeSet } from '../../gating/role-changes/index.ts';
import { selectRulesOfCause } from '../../gating/rule-health/index.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages as t } from '../../shared/messages/index.ts';
import { selectBatch, titleOf } from '../back-doors/index.ts';
import {
  answer,
  answerShow,
  type BotAnswer,
  buttonsOf,
  decisionInWords,
  linkToChangeSet,
  linkToCommunity,
  linkToSecurity,
  linkToSetup,
  plainName,
  readNames,
  sharesInWords,
} from '../bot-replies/index.ts';
import { remedyFor, selectWays, titleOfWay, type Way } from '../telegram-gate/index.ts';
import type { NoticeRow } from './queries.ts';

/** A notice in two versions: in full for admins, and reduced to public facts for channels that others can read. */
export interface NoticeText {
  /** In one line. */
  title: string;
  full: BotAnswer;
  /** Without members, reasons and advice. */
  short: BotAnswer;
}

/** Composes a notice for admins. Undefined when there is nothing left to report. */
export async function composeNotice(
  ctx: Context,
  community: CommunityRow,
  notice: NoticeRow,
): Promise<NoticeText | undefined> {
  switch (notice.kind) {
    case 'held-change-set':
    case 'held-growth':
    case 'large-change':
      return composeChangeSet(ctx, community, notice);
    case 'blocked-role':
      return composeBlocked(ctx, community, notice);
    case 'broken-setup':
      return composeSetup(ctx, community, notice);
    case 'rule-health':
      return composeRules(ctx, community, notice);
    case 'manual-changes':
      return composeManual(ctx, community, notice);
    case 'back-doors':
      return composeDoors(ctx, community, notice);
    case 'gate-bypass':
      return composeBypass(ctx, community, notice);
  }
}

async function composeChangeSet(
  ctx: Context,
  community: CommunityRow,
  { about, closed_at, details, kind }: NoticeRow,
): Promise<NoticeText | undefined> {
  const [changeSetId = about] = about.split(':');
  const found = await findChangeSet(ctx, changeSetId);
  if (found === undefined) return undefined;
  const { changeSet, shares } = found;
  const names = await readNames(ctx, community, changeSet.decided_by === null ? [] : [changeSet.decided_by], {
    asks: true,
  });
  const isLarge = kind === 'large-change';
  const change = {
    community: plainName(community.name),
    change: sharesInWords(shares, names, isLarge ? 'written' : 'members'),
  };
  const waiting = isLarge ? shares.reduce((sum, share) => sum + share.waiting, 0) : 0;
  const buttons = buttonsOf(changeSet);
  const link = linkToChangeSet(ctx, community, changeSetId);
  if (closed_at !== null) {
    const outcome = isLarge || changeSet.status === 'undone' ? t('notice.undone') : outcomeOf(changeSet.status);
    const words = `${t('notice.over', change)} ${decisionInWords(changeSet, names) || outcome}`;
    return { title: words, full: answer(words, buttons, link), short: answer(words, buttons, link) };
  }
  const rest = waiting === 0 ? '' : ` ${t('notice.stillWriting', { count: waiting })}`;
  const { waiting: now = 0, before = 0 } = details;
  const opening =
    kind === 'held-growth'
      ? t('notice.grew', { ...change, before, now })
      : t(isLarge ? 'notice.large' : 'notice.waits', change);
  const title = `${opening}${rest}`;
  const { text } = await answerShow(ctx, community, changeSetId);
  return { title, full: answer(`${title}\n${text}`, buttons, link), short: answer(title, buttons, link) };
}

function outcomeOf(status: string): string {
  return t(status === 'rejected' ? 'notice.rejected' : 'notice.notWaiting');
}

async function findChangeSet(ctx: Context, changeSetId: string) {
  try {
    const { changeSet } = await getChangeSet(ctx, changeSetId, { limit: 1 });
    return { changeSet, shares: await summarizeChangeSet(ctx, changeSetId) };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENTITY_NOT_FOUND';
}

async function composeBlocked(ctx: Context, community: CommunityRow, notice: NoticeRow): Promise<NoticeText> {
  const { about, closed_at, details } = notice;
  const names = await readNames(ctx, community, []);
  const isEveryRole = about === '*';
  const place = { community: plainName(community.name) };
  const one = { ...place, role: names.role(about) };
  if (closed_at !== null) return same(isEveryRole ? t('notice.rolesFixed', place) : t('notice.roleFixed', one));
  const title = isEveryRole ? t('notice.rolesBlocked', place) : t('notice.roleBlocked', one);
  const rest = isEveryRole ? [] : [t('notice.othersUnaffected')];
  const link = linkToCommunity(ctx, community);
  const show = { label: t('button.showChanges'), words: ['changes'] };
  return {
    title,
    full: answer([title, details.advice ?? '', ...rest].join(' '), [show], link),
    short: answer([title, ...rest].join(' '), [], link),
  };
}

function composeSetup(ctx: Context, community: CommunityRow, { closed_at, details }: NoticeRow): NoticeText {
  const place = { community: plainName(community.name) };
  if (closed_at !== null) return same(t('notice.setupFixed', place));
  const problems = details.problems ?? [t('notice.botRemoved')];
  const title = t('notice.setup', place);
  const link = linkToCommunity(ctx, community);
  const full = answer([title, ...problems.map((one) => `• ${one}`)].join('\n'), [], link);
  return { title, full, short: answer(title, [], link) };
}

const mostRules = 5;

/** Rules that cannot be decided, grouped by cause. Undefined if they recovered before the notice was sent. */
async function composeRules(
  ctx: Context,
  community: CommunityRow,
  { about, closed_at }: NoticeRow,
): Promise<NoticeText | undefined> {
  const place = { community: plainName(community.name) };
  if (closed_at !== null) return same(t('notice.rulesFixed', place));
  const rules = await selectRulesOfCause(ctx.db.system, community.id, about, mostRules + 1);
  const [first] = rules;
  if (first === undefined) return undefined;
  const names = await readNames(ctx, community, []);
  const named = rules.slice(0, mostRules).map(({ rule_id }) => names.rule(rule_id) ?? rule_id);
  const list = named.join(', ');
  const affected = { ...place, rules: rules.length > mostRules ? t('notice.rulesMore', { rules: list }) : list };
  const title = t(first.state === 'undecidable' ? 'notice.rulesUndecidable' : 'notice.rulesDegraded', affected);
  const problem = first.problems[0];
  const reason = [problem?.message, problem?.action].filter((words) => words !== undefined).join(' ');
  const link = linkToCommunity(ctx, community);
  const kept = t('notice.rolesKept');
  return {
    title,
    full: answer(`${title} ${reason} ${kept}`, [], link),
    short: answer(`${t('notice.rulesShort', place)} ${kept}`, [], link),
  };
}

/** A role that is changed manually, although a rule decides it. Undefined if the counts are gone. */
async function composeManual(
  ctx: Context,
  community: CommunityRow,
  { about: roleId, closed_at }: NoticeRow,
): Promise<NoticeText | undefined> {
  const changes = await selectManualChanges(ctx.db.system, community.id, roleId);
  if (changes === undefined) return undefined;
  const names = await readNames(ctx, community, []);
  const { added, removed } = changes;
  const role = { role: names.role(roleId), community: plainName(community.name) };
  const title =
    added > 0 && removed > 0
      ? t('notice.givenAndRemovedByHand', { ...role, added, removed })
      : t(added > 0 ? 'notice.givenByHand' : 'notice.removedByHand', { ...role, times: added + removed });
  if (closed_at !== null) return same(`${title} ${t('notice.calm')}`);
  const words = `${title} ${t('notice.followsRules')}`;
  const link = linkToCommunity(ctx, community);
  return { title, full: answer(words, [], link), short: answer(words, [], link) };
}

const mostDoors = 5;

/** New ways to the roles of rules. Undefined if they were closed or expected before the notice was sent. */
async function composeDoors(
  ctx: Context,
  community: CommunityRow,
  { about, closed_at }: NoticeRow,
): Promise<NoticeText | undefined> {
  const place = { community: plainName(community.name) };
  if (closed_at !== null) return same(t('notice.doorsClosed', place));
  const rows = await selectBatch(ctx.db.system, community.id, about);
  if (rows.length === 0) return undefined;
  const names = await readNames(ctx, community, []);
  const doors = [...Map.groupBy(rows, ({ door_id }) => door_id).values()];
  const lines = doors.slice(0, mostDoors).flatMap((ofDoor) => {
    const [first] = ofDoor;
    const roles = ofDoor.map(({ role_id }) => names.role(role_id)).join(', ');
    return first === undefined ? [] : [`• ${t('notice.door', { door: titleOf(first), roles })}`];
  });
  const rest = doors.length - lines.length;
  const title = t('notice.doors', { ...place, count: doors.length });
  const link = linkToSecurity(ctx, community);
  const more = rest > 0 ? [t('notice.moreDoors', { count: rest })] : [];
  return { title, full: answer([title, ...lines, ...more].join('\n'), [], link), short: answer(title, [], link) };
}

const bypasses = {
  link: 'notice.bypassLink',
  'shared-invitation': 'notice.bypassInvitation',
  folder: 'notice.bypassFolder',
  added: 'notice.bypassAdded',
  public: 'notice.bypassPublic',
  'other-room': 'notice.bypassPublic',
} as const;

/** A way around the gate of a chat or room. Undefined if its joins were deleted before the notice was sent. */
async function composeBypass(
  ctx: Context,
  community: CommunityRow,
  { about, closed_at }: NoticeRow,
): Promise<NoticeText | undefined> {
  const place = { community: plainName(community.name) };
  const [way] = await selectWays(ctx.db.system, community.id, { limit: 1, wayId: about });
  if (way === undefined) return closed_at === null ? undefined : same(t('notice.bypassOver', place));
  const title = await titleOfBypass(ctx, community, way);
  const canRevoke = way.is_own && way.link !== null && way.revoked_at === null;
  const remedy = canRevoke ? t('notice.bypassRevoke') : remedyFor(way);
  const link = linkToSetup(ctx, community);
  // Revoked by the bot or by an admin: nothing in it is only for admins.
  const short = way.revoked_at === null ? title : `${title} ${remedy}`;
  return { title, full: answer(`${title} ${remedy}`, [], link), short: answer(short, [], link) };
}

/** Rooms are many and are named; a Telegram chat is the community. */
async function titleOfBypass(ctx: Context, community: CommunityRow, way: Way): Promise<string> {
  const place = { community: plainName(community.name) };
  if (way.role_id === null) return t(bypasses[way.kind], place);
  const names = await readNames(ctx, community, []);
  return t('notice.bypassRoom', { ...place, role: names.role(way.role_id), way: titleOfWay(way) });
}

function same(words: string): NoticeText {
  return { title: words, full: answer(words), short: answer(words) };
}
