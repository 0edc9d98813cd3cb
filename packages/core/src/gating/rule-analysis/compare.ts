import type { OpenRules } from '../evaluation/index.ts';
import { type AnalysisOptions, type Answer, Prover } from './prove.ts';
import { conditionsOf, decidedRoles, hasUnreadable, partFor, RoleFunctions } from './role-functions.ts';

/** Whether an edit gives a role to more members or to fewer. `incomparable`: to other ones. */
export type Direction = 'equal' | 'more' | 'less' | 'incomparable' | 'unproven';

export interface RoleComparison {
  roleId: string;
  direction: Direction;
  /** No member gets the role who did not have it before. */
  noGains: Answer;
  /** No member loses the role. */
  noLosses: Answer;
}

/** What an edit changes: for every role that a rule or a composition of either side decides, or for one. */
export async function compareRules(
  before: OpenRules,
  after: OpenRules,
  { roleId, ...options }: AnalysisOptions & { roleId?: string } = {},
): Promise<RoleComparison[]> {
  const roleIds = new Set(roleId === undefined ? [before, after].flatMap(decidedRoles) : [roleId]);
  const comparisons: RoleComparison[] = [];
  for (const id of roleIds) comparisons.push(await compareRole(before, after, id, options));
  return comparisons;
}

/** Whether one rule set lets in more members than another, over all roles. */
export function directionOf(comparisons: readonly RoleComparison[]): Direction {
  const gains = comparisons.map(({ noGains }) => noGains.kind);
  const losses = comparisons.map(({ noLosses }) => noLosses.kind);
  const [hasGains, hasLosses] = [gains.includes('disproven'), losses.includes('disproven')];
  if (hasGains && hasLosses) return 'incomparable';
  if ([...gains, ...losses].includes('unproven')) return 'unproven';
  if (hasGains) return 'more';
  return hasLosses ? 'less' : 'equal';
}

async function compareRole(
  before: OpenRules,
  after: OpenRules,
  roleId: string,
  options: AnalysisOptions,
): Promise<RoleComparison> {
  const [old, edited] = [partFor(before, [roleId]), partFor(after, [roleId])];
  const prover = new Prover([old, edited].flatMap(conditionsOf), options);
  const noGains = await isContained(prover, edited, old, roleId);
  const noLosses = await isContained(prover, old, edited, roleId);
  const comparison = { roleId, direction: 'equal' as const, noGains, noLosses };
  return { ...comparison, direction: directionOf([comparison]) };
}

/** Whether every member who gets the role by one set gets it by the other. */
async function isContained(prover: Prover, set: OpenRules, other: OpenRules, roleId: string): Promise<Answer> {
  if (hasUnreadable(set) || hasUnreadable(other)) return { kind: 'unproven', reason: 'unreadable-rule' };
  return prover.prove((encoding) => {
    const [inSet, inOther] = [new RoleFunctions(encoding, set), new RoleFunctions(encoding, other)];
    return {
      counterexample: encoding.bdds.and(inSet.given(roleId), encoding.bdds.not(inOther.given(roleId))),
      confirm: async (replay) =>
        (await replay.decideRole(set, roleId)) === 'true' && (await replay.decideRole(other, roleId)) !== 'true',
    };
  });
}
