import type { RoleComposition } from './rule.ts';
import { allOf, anyOf, not, type Truth, truthOf } from './truth.ts';

/**
 * Applies compositions on top of decided roles. A composition that depends on a role comes after those that grant or
 * remove it; roles in a dependency cycle become unknown. For roles that neither a rule nor a composition decides, the
 * member's current roles count; they are not in the result.
 */
export function composeRoles(
  decided: ReadonlyMap<string, Truth>,
  compositions: readonly RoleComposition[],
  held: Iterable<string>,
): Map<string, Truth> {
  const result = new Map(decided);
  const holds = new Set(held);
  const now = (roleId: string): Truth => result.get(roleId) ?? truthOf(holds.has(roleId));
  const { ordered, circular } = sortByDependence(compositions);
  for (const composition of ordered) {
    const truth = composed(composition, conditionTruth(composition, now), now(composition.roleId), result);
    if (truth !== undefined) result.set(composition.roleId, truth);
  }
  for (const { roleId } of circular) result.set(roleId, 'unknown');
  return result;
}

function conditionTruth({ operator, condition }: RoleComposition, now: (roleId: string) => Truth): Truth {
  const truths = Object.entries(condition).map(([roleId, isHeld]) => (isHeld ? now(roleId) : not(now(roleId))));
  return operator === 'and' ? allOf(truths) : anyOf(truths);
}

// The reverse of an action applies only to roles that nothing else has decided: it must not override a rule.
function composed(
  { action, roleId }: RoleComposition,
  condition: Truth,
  now: Truth,
  result: ReadonlyMap<string, Truth>,
): Truth | undefined {
  const whenTrue: Truth = action === 'add' || action === 'addOrRemove' ? 'true' : 'false';
  const canReverse = (action === 'addOrRemove' || action === 'removeOrAdd') && !result.has(roleId);
  const whenFalse = canReverse ? not(whenTrue) : undefined;
  if (condition === 'true') return whenTrue;
  if (condition === 'false') return whenFalse;
  // The condition is unknown: the outcome is certain only if both cases lead to it.
  const certain = (whenFalse ?? now) === whenTrue ? whenTrue : 'unknown';
  return certain;
}

/** Compositions in the order in which they apply, and those that depend on each other in a circle. */
export function sortByDependence(compositions: readonly RoleComposition[]) {
  const ordered: RoleComposition[] = [];
  let left = [...compositions];
  while (left.length > 0) {
    const targets = new Set(left.map(({ roleId }) => roleId));
    const ready = left.filter(({ condition }) => Object.keys(condition).every((roleId) => !targets.has(roleId)));
    if (ready.length === 0) break;
    ordered.push(...ready);
    left = left.filter((composition) => !ready.includes(composition));
  }
  return { ordered, circular: left };
}
