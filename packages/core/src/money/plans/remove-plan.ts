import { AppError, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { planIdOf } from './plan.ts';
import { deletePlanRow } from './queries.ts';

const foreignKeyViolation = '23503';

/** Deletes a plan that nobody has or had. */
export async function removePlan(ctx: Pick<Context, 'db'>, { planId }: { planId: string }): Promise<void> {
  const id = planIdOf(planId);
  if (id === 'free' || id === 'starter')
    throw new AppError('STATE_CONFLICT', `The plan ${id} is what everybody has without paying; it cannot be deleted.`);
  try {
    const isDeleted = id !== undefined && (await ctx.db.transaction('system', (tx) => deletePlanRow(tx, id)));
    if (!isDeleted) throw notFound('plan');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== foreignKeyViolation) throw error;
    throw new AppError(
      'STATE_CONFLICT',
      `Somebody has or had the plan ${id}. Set offeredUntil to stop selling it instead.`,
    );
  }
}
