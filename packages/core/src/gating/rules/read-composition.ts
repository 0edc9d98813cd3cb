import type { Definition } from './definition.ts';
import { isObject } from './is-object.ts';
import type { Problems } from './problems.ts';
import type { CompositionLeaf, RoleComposition } from './rule.ts';

const actions: readonly RoleComposition['action'][] = ['add', 'remove', 'addOrRemove', 'removeOrAdd'];

/** Reads `variables.roleComposition`. The role it is about is the composition's own, or else the rule's. */
export function readComposition(
  { roleId, variables }: Definition,
  path: string,
  depth: number,
  problems: Problems,
): CompositionLeaf | undefined {
  const place = `${path}/variables/roleComposition`;
  if (depth > 0) {
    problems.add(path, 'scheme', 'a composition of roles is a rule of its own and cannot be part of a tree.');
    return undefined;
  }
  const value = variables.roleComposition;
  if (!isObject(value)) {
    problems.add(place, 'required', 'a composition has an action, an operator and a condition.');
    return undefined;
  }
  const action = actions.find((word) => word === value.action);
  if (action === undefined) problems.add(`${place}/action`, 'enum', `an action is one of ${actions.join(', ')}.`);
  const operator = value.operator === 'or' ? 'or' : 'and';
  if (value.operator !== 'or' && value.operator !== 'and') {
    problems.add(`${place}/operator`, 'enum', 'an operator is "and" or "or".');
  }
  const target = value.roleId ?? roleId;
  if (typeof target !== 'string' || target === '') {
    problems.add(`${place}/roleId`, 'required', 'a composition names the role it gives or takes.');
  }
  const condition = readRoles(value.condition, `${place}/condition`, problems);
  if (typeof target === 'string' && target in condition) {
    problems.add(`${place}/condition`, 'cycle', 'a role cannot follow from itself.');
  }
  if (action === undefined || typeof target !== 'string') return undefined;
  return {
    kind: 'composition',
    label: 'role_composition',
    composition: { action, roleId: target, operator, condition },
  };
}

function readRoles(value: unknown, path: string, problems: Problems): Record<string, boolean> {
  const entries = isObject(value) ? Object.entries(value) : [];
  const isFine = entries.length > 0 && entries.length <= 200 && entries.every(([, held]) => typeof held === 'boolean');
  if (!isFine) problems.add(path, 'type', 'a condition has role ids as names and true (held) or false (absent).');
  return Object.fromEntries(entries.map(([roleId, held]) => [roleId, held === true]));
}
