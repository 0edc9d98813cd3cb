import type { ApprovalPolicyRow, ManualChanges, RoleApprovalPolicyRow } from './queries.ts';

/** When removals of a role need an admin's approval. */
export interface RemovalLimits {
  /** More than this share of its holders within 24 hours, if it is at least `count` members … */
  share: number;
  count: number;
  /** … or more than this many members within 24 hours, whatever their share. */
  perDay: number;
}

/** Hours of the day in which no role is removed without approval. */
export interface QuietHours {
  /** Minutes after midnight. A period that ends before it begins spans midnight. */
  from: number;
  to: number;
  /** An IANA time zone. */
  timeZone: string;
}

/** What needs approval in one community: the operator's defaults, with the community's own values on top. */
export interface ApprovalPolicy {
  limits: RemovalLimits;
  limitsOf(roleId: string): RemovalLimits;
  /** Whether members get the role only after an admin approved it. */
  needsApprovalToGrant(roleId: string): boolean;
  /** How many admins must approve a held change set. */
  approvers: number;
  quietHours: QuietHours | undefined;
  /** How manual changes of the role are handled. */
  manualChangesOf(roleId: string): ManualChanges;
}

export function toPolicy(
  defaults: RemovalLimits,
  community: ApprovalPolicyRow | undefined,
  roles: readonly RoleApprovalPolicyRow[],
): ApprovalPolicy {
  const base = withOwn(defaults, community);
  const byRole = new Map(roles.map((role) => [role.role_id, role]));
  return {
    limits: base,
    limitsOf: (roleId) => withOwn(base, byRole.get(roleId)),
    needsApprovalToGrant: (roleId) => byRole.get(roleId)?.holds_grants ?? false,
    approvers: community?.approvers ?? 1,
    quietHours: quietHoursOf(community),
    manualChangesOf: (roleId) => byRole.get(roleId)?.manual_changes ?? community?.manual_changes ?? 'leave',
  };
}

type Limits = Pick<ApprovalPolicyRow, 'removal_percent' | 'removal_count' | 'removals_per_day'>;

function withOwn(base: RemovalLimits, own: Limits | undefined): RemovalLimits {
  return {
    share: own?.removal_percent == null ? base.share : own.removal_percent / 100,
    count: own?.removal_count ?? base.count,
    perDay: own?.removals_per_day ?? base.perDay,
  };
}

export function quietHoursOf(row: ApprovalPolicyRow | undefined): QuietHours | undefined {
  if (row === undefined || row.quiet_from === null || row.quiet_to === null || row.quiet_time_zone === null)
    return undefined;
  return { from: row.quiet_from, to: row.quiet_to, timeZone: row.quiet_time_zone };
}

const dayMinutes = 24 * 60;
const minuteMs = 60_000;

/**
 * Returns when the current quiet hours end; undefined outside of them. The end is a wall clock time in the time zone,
 * so a daylight saving change within the quiet hours shifts it.
 */
export function quietUntil(quiet: QuietHours | undefined, now: Date): Date | undefined {
  if (quiet === undefined || quiet.from === quiet.to) return undefined;
  const minute = minuteOfDay(now, quiet.timeZone);
  const length = (quiet.to - quiet.from + dayMinutes) % dayMinutes;
  const passed = (minute - quiet.from + dayMinutes) % dayMinutes;
  if (passed >= length) return undefined;
  const start = Math.floor(now.getTime() / minuteMs) * minuteMs;
  const end = new Date(start + (length - passed) * minuteMs);
  // If the clocks change in between, the wall clock at that moment is off by an hour or so.
  const late =
    ((quiet.to - minuteOfDay(end, quiet.timeZone) + dayMinutes + dayMinutes / 2) % dayMinutes) - dayMinutes / 2;
  return new Date(end.getTime() + late * minuteMs);
}

function minuteOfDay(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    .formatToParts(at)
    .map(({ type, value }) => [type, Number(value)] as const);
  const { hour = 0, minute = 0 } = Object.fromEntries(parts);
  return hour * 60 + minute;
}

/** Whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
