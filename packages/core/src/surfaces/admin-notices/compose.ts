import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectManualChanges } from '../../gating/manual-changes/index.ts';
import { getChangeSet, summarizeChangeSet } from '../../gating/role-changes/index.ts';
import { selectRulesOfCause } from '../../gating/rule-health/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  answer,
  answerShow,
  type BotAnswer,
  buttonsOf,
  decisionInWords,
  linkToChangeSet,
  linkToCommunity,
  plainName,
  readNames,
  sharesInWords,
} from '../bot-replies/index.ts';
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
      return composeChangeSet(ctx, community, notice, 'needs your approval');
    case 'large-change':
      return composeChangeSet(ctx, community, notice, 'is large');
    case 'blocked-role':
      return composeBlocked(ctx, community, notice);
    case 'broken-setup':
      return composeSetup(ctx, community, notice);
    case 'rule-health':
      return composeRules(ctx, community, notice);
    case 'manual-changes':
      return composeManual(ctx, community, notice);
  }
}

async function composeChangeSet(
  ctx: Context,
  community: CommunityRow,
  { about: changeSetId, closed_at, kind }: NoticeRow,
  what: string,
): Promise<NoticeText | undefined> {
  const found = await findChangeSet(ctx, changeSetId);
  if (found === undefined) return undefined;
  const { changeSet, shares } = found;
  const names = await readNames(ctx, community, changeSet.decided_by === null ? [] : [changeSet.decided_by], {
    asks: true,
  });
  const isLarge = kind === 'large-change';
  const change = sharesInWords(shares, names, isLarge ? 'written' : 'members');
  const waiting = isLarge ? shares.reduce((sum, share) => sum + share.waiting, 0) : 0;
  const buttons = buttonsOf(changeSet);
  const link = linkToChangeSet(ctx, community, changeSetId);
  if (closed_at !== null) {
    const outcome = isLarge || changeSet.status === 'undone' ? ' It was undone.' : outcomeOf(changeSet.status);
    const words = `Role change in ${plainName(community.name)}: ${change}.${decisionInWords(changeSet, names) || outcome}`;
    return { title: words, full: answer(words, buttons, link), short: answer(words, buttons, link) };
  }
  const rest = waiting === 0 ? '' : ` ${waiting} more ${waiting === 1 ? 'change is' : 'changes are'} being applied.`;
  const title = `A role change in ${plainName(community.name)} ${what}: ${change}.${rest}`;
  const { text } = await answerShow(ctx, community, changeSetId);
  return { title, full: answer(`${title}\n${text}`, buttons, link), short: answer(title, buttons, link) };
}

function outcomeOf(status: string): string {
  return status === 'rejected' ? ' It was rejected.' : ' It is no longer waiting.';
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
  const role = about === '*' ? 'Roles' : `The role ${names.role(about)}`;
  const place = plainName(community.name);
  if (closed_at !== null) return same(`Fixed: ${role} in ${place} can be changed again.`);
  const rest = about === '*' ? '' : ' Other roles are not affected.';
  const title = `${role} in ${place} cannot be changed.`;
  const link = linkToCommunity(ctx, community);
  return {
    title,
    full: answer(`${title} ${details.advice ?? ''}${rest}`, [{ label: 'Show role changes', words: ['changes'] }], link),
    short: answer(`${title}${rest}`, [], link),
  };
}

function composeSetup(ctx: Context, community: CommunityRow, { closed_at, details }: NoticeRow): NoticeText {
  const place = plainName(community.name);
  if (closed_at !== null) return same(`Fixed: the bot can work in ${place} again.`);
  const problems = details.problems ?? ['The bot was removed. Add it again, or delete the community.'];
  const title = `The bot’s setup in ${place} needs fixing.`;
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
  const place = plainName(community.name);
  if (closed_at !== null) return same(`Fixed: the rules in ${place} can be decided again.`);
  const rules = await selectRulesOfCause(ctx.db.system, community.id, about, mostRules + 1);
  const [first] = rules;
  if (first === undefined) return undefined;
  const names = await readNames(ctx, community, []);
  const named = rules.slice(0, mostRules).map(({ rule_id }) => names.rule(rule_id) ?? rule_id);
  const more = rules.length > mostRules ? ' and more' : '';
  const isLasting = first.state === 'undecidable';
  const title = `Rules in ${place} cannot be decided${isLasting ? '' : ' at the moment'}: ${named.join(', ')}${more}.`;
  const problem = first.problems[0];
  const reason = [problem?.message, problem?.action].filter((words) => words !== undefined).join(' ');
  const link = linkToCommunity(ctx, community);
  const short = `Rules in ${place} cannot be decided. Members keep their roles.`;
  return {
    title,
    full: answer(`${title} ${reason} Members keep their roles.`, [], link),
    short: answer(short, [], link),
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
  const times = (count: number) => (count === 1 ? 'once' : `${count} times`);
  const how = [...(added > 0 ? [`given ${times(added)}`] : []), ...(removed > 0 ? [`removed ${times(removed)}`] : [])];
  const title = `The role ${names.role(roleId)} in ${plainName(community.name)} was ${how.join(' and ')} by hand.`;
  if (closed_at !== null) return same(`${title} It has not been changed by hand for a day.`);
  const words = `${title} The next check follows the rules again.`;
  const link = linkToCommunity(ctx, community);
  return { title, full: answer(words, [], link), short: answer(words, [], link) };
}

function same(words: string): NoticeText {
  return { title: words, full: answer(words), short: answer(words) };
}
