import { AppError } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { Rule } from '../rules/index.ts';
import { findRuleProblems, type RuleProblem } from './problems.ts';

const timeoutMs = 5_000;

/**
 * Refuses a rule that can never be decided here, with the reason and the setting that would fix it. If a chain cannot
 * be reached, the rule is saved anyway and checked again before it grants or removes a role.
 */
export async function refuseUndecidable(
  ctx: Pick<Context, 'holdings' | 'tokenMetadata'>,
  rule: Pick<Rule, 'condition'>,
  path: string,
): Promise<void> {
  const problems = await findUndecidable(ctx, rule);
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('VALIDATION_FAILED', `The body at ${path} cannot be used. ${inWords(first)}`, {
    details: problems.map((problem) => ({ path, code: problem.code, message: inWords(problem) })),
  });
}

/** Returns why a rule can never be decided here, in words; empty if it can, or if that could not be checked. */
export async function whyUndecidable(
  ctx: Pick<Context, 'holdings' | 'tokenMetadata'>,
  rule: Pick<Rule, 'condition'>,
): Promise<string[]> {
  return (await findUndecidable(ctx, rule)).map(inWords);
}

async function findUndecidable(
  ctx: Pick<Context, 'holdings' | 'tokenMetadata'>,
  rule: Pick<Rule, 'condition'>,
): Promise<RuleProblem[]> {
  const problems = await findRuleProblems(ctx, rule, AbortSignal.timeout(timeoutMs));
  return problems.filter(({ state }) => state === 'undecidable');
}

function inWords({ message, action }: Pick<RuleProblem, 'message' | 'action'>): string {
  return action === undefined ? message : `${message} ${action}`;
}
