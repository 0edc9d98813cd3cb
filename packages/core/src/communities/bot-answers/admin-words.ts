import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { administersCommunity, type CommunityRow, requireRuler } from '../communities/index.ts';
import { answer, type BotAnswer } from './answer.ts';
import { readPlanInput } from './inputs.ts';
import { approvePlan, rejectPlan, showPlan, showPlans, undoPlan } from './plan-commands.ts';

type Run = (ctx: Context, community: CommunityRow, planId: string, count?: string) => Promise<BotAnswer>;

/** What admins tell a bot about plans, alike on every platform. */
export const adminWords = {
  plans: (ctx, community) => showPlans(ctx, community),
  show: showPlan,
  approve: approvePlan,
  reject: rejectPlan,
  undo: undoPlan,
} as const satisfies Readonly<Record<string, Run>>;

export type AdminWord = keyof typeof adminWords;

export function isAdminWord(word: string): word is AdminWord {
  return Object.hasOwn(adminWords, word);
}

/** Does what an admin asks for, after the platform said that they still may. What is refused is an answer. */
export async function runAdminWord(
  ctx: Context,
  community: CommunityRow,
  word: AdminWord,
  [planId = '', count]: readonly string[] = [],
): Promise<BotAnswer> {
  if (word !== 'plans' && planId === '')
    return answer(`Say which plan: ${word} <plan>. The plans are listed by "plans".`);
  try {
    if (word !== 'plans') readPlanInput({ plan: planId, ...(count !== undefined && { count }) });
    await requireAdmin(ctx, community.id);
    const run: Run = adminWords[word];
    return await run(ctx, community, planId, count);
  } catch (error) {
    if (error instanceof AppError) return answer(error.message);
    throw error;
  }
}

/** Only admins pass, and only while the platform lets them manage the community there. */
export async function requireAdmin(ctx: Context, communityId: string): Promise<void> {
  if (!(await administersCommunity(ctx, communityId)))
    throw new AppError('ROLE_NOT_ALLOWED', 'Only admins of this community can do that.');
  await requireRuler(ctx, communityId);
}
