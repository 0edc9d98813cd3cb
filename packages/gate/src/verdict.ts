/**
 * Whether a visitor may pass. `unknown` means that it could not be determined, because a chain or the server did not respond: it is neither
 * granted nor denied.
 */
export interface Verdict {
  status: 'granted' | 'denied' | 'unknown';
  /** The roles that the visitor qualifies for. */
  roles: readonly string[];
  /** Why the rest could not be determined, one sentence each. They are for you and your operator, not for the visitor. */
  reasons?: readonly string[];
}

/** What `POST /access-control/check-roles` returns. */
export interface CheckedRoles {
  roles?: readonly { id?: string; granted?: boolean }[];
  errors?: readonly { message?: string }[];
}

/** One role is enough, or all of them are required. */
export type Need = 'any' | 'all';

export function evaluate(checked: CheckedRoles, need: Need): Verdict {
  const verdict = decide(checked, need);
  const reasons = (checked.errors ?? []).map(({ message }) => message ?? 'Latchkey gave no reason.');
  return verdict.status !== 'unknown' || reasons.length === 0 ? verdict : { ...verdict, reasons };
}

function decide({ roles = [], errors = [] }: CheckedRoles, need: Need): Verdict {
  const granted = roles.filter((role) => role.granted === true).map(({ id = '' }) => id);
  const isDecided = errors.length === 0 && roles.length > 0;
  if (need === 'any') {
    const status = granted.length > 0 ? 'granted' : isDecided ? 'denied' : 'unknown';
    return { status, roles: granted };
  }
  if (granted.length < roles.length) return { status: 'denied', roles: granted };
  return { status: isDecided ? 'granted' : 'unknown', roles: granted };
}
