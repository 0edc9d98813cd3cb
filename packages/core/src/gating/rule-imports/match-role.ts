import type { PlatformRole } from '../../ports/index.ts';
import type { RoleReference } from './found-rule.ts';

export type Roles = ReadonlyMap<string, PlatformRole> | undefined;

export interface RoleChoice {
  from: string;
  roleId: string;
}

/** Finds the role of this community that matches another service's role, or explains why there is none. */
export function matchRole(
  { id, name }: RoleReference,
  roles: Roles,
  choices: readonly RoleChoice[],
): { roleId: string; note?: string } | { problem: string } {
  const chosen = choices.find(({ from }) => from === id || (name !== undefined && sameName(from, name)));
  const wanted = chosen?.roleId ?? id;
  if (roles === undefined) {
    if (wanted === undefined) return { problem: 'The chat platform did not return its roles. Try again.' };
    return { roleId: wanted, note: 'The chat platform did not respond, so the role could not be verified.' };
  }
  if (wanted !== undefined && roles.has(wanted)) return { roleId: wanted };
  const alike = name === undefined ? [] : [...roles.values()].filter((role) => sameName(role.name, name));
  const [only] = alike;
  if (chosen === undefined && only !== undefined && alike.length === 1)
    return { roleId: only.id, note: `The role was found by its name, "${only.name}".` };
  if (alike.length > 1 && chosen === undefined)
    return { problem: `Several roles are called "${name}". Choose one of them.` };
  const called = name ?? wanted;
  if (called === undefined) return { problem: 'It has no role. Choose the role that it gives.' };
  return { problem: `This community has no role "${called}". Choose the role that it gives.` };
}

function sameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
