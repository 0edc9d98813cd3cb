import type { PlatformRole } from '../../ports/index.ts';

/** Roles by name; those whose name is not known come last. */
export function namedRoles(
  roleIds: readonly string[],
  roles: ReadonlyMap<string, PlatformRole>,
): { roleId: string; roleName: string | undefined }[] {
  return roleIds
    .map((roleId) => ({ roleId, roleName: roles.get(roleId)?.name }))
    .toSorted((a, b) => compare(a.roleName ?? '\u{10ffff}', b.roleName ?? '\u{10ffff}') || compare(a.roleId, b.roleId));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
