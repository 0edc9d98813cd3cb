import type { OpenRules } from '../evaluation/index.ts';
import { compareRules, effectInWords, findProblems, problemInWords, shareEffort } from '../rule-analysis/index.ts';

interface Names {
  role(roleId: string): string;
  rule(ruleId: string): string;
  token(asset: string): string;
}

/** The most rules and roles that one plan analyzes. */
const mostAnalyzed = 50;
/** Proofs run on the event loop: all of a plan’s take a second or two at most, and other work goes on in between. */
const stepsPerPlan = 6_000_000;
const stepsPerPart = 400_000;

/** What can be proven about changed rules, in sentences: rules that have no effect, and who can gain or lose a role. */
export async function analyzeRuleSet(
  before: OpenRules,
  after: OpenRules,
  { ruleIds, roleIds }: { ruleIds: readonly string[]; roleIds: readonly string[] },
  names: Names,
): Promise<{ warnings: string[]; proofs: string[] }> {
  const warnings = new Set<string>();
  const share = shareEffort(stepsPerPlan, () => stepsPerPart);
  for (const ruleId of ruleIds.slice(0, mostAnalyzed))
    for (const problem of await share((effort) => findProblems(after, { ruleId, effort })))
      warnings.add(
        'ruleId' in problem
          ? `${names.rule(ruleId)}: ${problemInWords(problem, names)}`
          : problemInWords(problem, names),
      );
  const left = Math.max(ruleIds.length, roleIds.length) - mostAnalyzed;
  if (left > 0) warnings.add(`Only the first ${mostAnalyzed} changed rules and roles were analyzed; ${left} were not.`);
  const proofs: string[] = [];
  for (const roleId of roleIds.slice(0, mostAnalyzed)) {
    const [found] = await share((effort) => compareRules(before, after, { roleId, effort }));
    if (found === undefined) continue;
    for (const sentence of [effectInWords('gain', found.noGains, names), effectInWords('lose', found.noLosses, names)])
      proofs.push(`${names.role(roleId)}, apart from guest passes: ${sentence}`);
  }
  return { warnings: [...warnings], proofs };
}
