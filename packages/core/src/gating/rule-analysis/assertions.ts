import type { OpenRules } from '../evaluation/index.ts';
import type { Condition } from '../rules/index.ts';
import { type AnalysisOptions, type Answer, Prover } from './prove.ts';
import { conditionsOf, partFor, RoleFunctions } from './role-functions.ts';

/** What members with a role must have: what meets a condition, or another role. */
export type Requirement = { condition: Condition } | { roleId: string };

/**
 * Whether no member gets a role without what it requires. A rule that cannot be read gives nothing, so it breaks nothing.
 * Guest passes are left out: admins issue those by name.
 */
export async function proveRequired(
  whole: OpenRules,
  roleId: string,
  required: Requirement,
  options: AnalysisOptions = {},
): Promise<Answer> {
  const set = partFor(whole, 'roleId' in required ? [roleId, required.roleId] : [roleId]);
  const conditions = 'condition' in required ? [required.condition] : [];
  return new Prover([...conditionsOf(set), ...conditions], options).prove((encoding) => {
    const roles = new RoleFunctions(encoding, set);
    const isMet = 'roleId' in required ? roles.held(required.roleId) : encoding.condition(required.condition);
    return {
      counterexample: encoding.bdds.and(roles.given(roleId), encoding.bdds.not(isMet)),
      confirm: async (replay) => {
        const truth =
          'roleId' in required
            ? await replay.decideHeldRole(set, required.roleId)
            : await replay.decideCondition(required.condition);
        return (await replay.decideRole(set, roleId)) === 'true' && truth !== 'true';
      },
    };
  });
}
