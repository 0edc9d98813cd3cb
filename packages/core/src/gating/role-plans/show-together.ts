import type { PlatformRole, RoleHost } from '../../ports/index.ts';
import type { RoleReason, RoleVerdict } from '../judging/index.ts';

/**
 * Of the roles that a member deserves, some platforms can show only a part: the others count as not deserved. A role that
 * is held and must stay, because it is unknown or paused, has its place among them.
 */
export function showTogether(
  { host, roles }: { host: Pick<RoleHost, 'settle'>; roles: readonly PlatformRole[] },
  verdicts: readonly RoleVerdict[],
  member: { roleIds: readonly string[]; isPaused(verdict: RoleVerdict): boolean },
): readonly RoleVerdict[] {
  if (host.settle === undefined) return verdicts;
  const staysHeld = (verdict: RoleVerdict) => verdict.truth === 'unknown' || member.isPaused(verdict);
  const isWanted = (verdict: RoleVerdict) =>
    staysHeld(verdict) ? member.roleIds.includes(verdict.roleId) : verdict.truth === 'true';
  const wanted = verdicts.filter(isWanted).map(({ roleId }) => roleId);
  const shown = new Set(host.settle(roles, wanted));
  return verdicts.map((verdict) =>
    isWanted(verdict) && !shown.has(verdict.roleId)
      ? { ...verdict, truth: 'false', reason: outranked(verdict) }
      : verdict,
  );
}

/** The reason of a role that another one of the same member leaves no place for. */
function outranked({ reason }: RoleVerdict): RoleReason {
  return { ...reason, truth: 'false', isOutranked: true };
}
