import type { CommunityRow } from '../../communities/community/index.ts';
import { getRolePlan, summarizeRolePlan } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  answer,
  type BotAnswer,
  buttonsOf,
  decisionInWords,
  linkToCommunity,
  linkToPlan,
  plainName,
  readNames,
  sharesInWords,
  showPlan,
} from '../bot-replies/index.ts';
import type { NoticeRow } from './queries.ts';

/** A notice as it is told: all of it to admins, and what everybody may read where others may read along. */
export interface NoticeText {
  /** In one line. */
  title: string;
  full: BotAnswer;
  /** Without members, reasons and advice. */
  short: BotAnswer;
}

/** Writes what admins are told. Undefined when there is nothing to tell any more. */
export async function composeNotice(
  ctx: Context,
  community: CommunityRow,
  notice: NoticeRow,
): Promise<NoticeText | undefined> {
  switch (notice.kind) {
    case 'held-plan':
      return composePlan(ctx, community, notice, 'needs your approval');
    case 'large-change':
      return composePlan(ctx, community, notice, 'is large');
    case 'blocked-role':
      return composeBlocked(ctx, community, notice);
    case 'broken-setup':
      return composeSetup(ctx, community, notice);
  }
}

async function composePlan(
  ctx: Context,
  community: CommunityRow,
  { about: planId, closed_at, kind }: NoticeRow,
  what: string,
): Promise<NoticeText | undefined> {
  const found = await findPlan(ctx, planId);
  if (found === undefined) return undefined;
  const { plan, shares } = found;
  const names = await readNames(ctx, community, plan.decided_by === null ? [] : [plan.decided_by], { asks: true });
  const change = sharesInWords(shares, names);
  const buttons = buttonsOf(plan);
  const link = linkToPlan(ctx, community, planId);
  if (closed_at !== null) {
    const outcome = kind === 'large-change' || plan.status === 'undone' ? ' It was undone.' : outcomeOf(plan.status);
    const words = `Role change in ${plainName(community.name)}: ${change}.${decisionInWords(plan, names) || outcome}`;
    return { title: words, full: answer(words, buttons, link), short: answer(words, buttons, link) };
  }
  const title = `A role change in ${plainName(community.name)} ${what}: ${change}.`;
  const { text } = await showPlan(ctx, community, planId);
  return { title, full: answer(`${title}\n${text}`, buttons, link), short: answer(title, buttons, link) };
}

function outcomeOf(status: string): string {
  return status === 'rejected' ? ' It was rejected.' : ' It is no longer waiting.';
}

async function findPlan(ctx: Context, planId: string) {
  try {
    const { plan } = await getRolePlan(ctx, planId, { limit: 1 });
    return { plan, shares: await summarizeRolePlan(ctx, planId) };
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
    full: answer(`${title} ${details.advice ?? ''}${rest}`, [{ label: 'Show plans', words: ['plans'] }], link),
    short: answer(`${title}${rest}`, [], link),
  };
}

function composeSetup(ctx: Context, community: CommunityRow, { closed_at, details }: NoticeRow): NoticeText {
  const place = plainName(community.name);
  if (closed_at !== null) return same(`Fixed: the bot can work in ${place} again.`);
  const problems = details.problems ?? ['The bot was removed. Add it again, or delete the community.'];
  const title = `The set-up of the bot in ${place} needs fixing.`;
  const link = linkToCommunity(ctx, community);
  const full = answer([title, ...problems.map((one) => `• ${one}`)].join('\n'), [], link);
  return { title, full, short: answer(title, [], link) };
}

function same(words: string): NoticeText {
  return { title: words, full: answer(words), short: answer(words) };
}
