import type { Answer, Input } from '../../shared/api/index.ts';

type Policy = Answer<'GET /latchkey/communities/{communityId}/approval-policy'>;
type Body = Input<'PUT /latchkey/communities/{communityId}/approval-policy'>['body'];

/** What a number field holds: empty for the default. */
type Limit = number | string;

interface Limits {
  removalPercent: Limit;
  removalCount: Limit;
  removalsPerDay: Limit;
}

/** What happens to a role that a member of staff gives or takes by hand. */
export type ManualChanges = NonNullable<Policy['manualChanges']>;

export interface RoleForm extends Limits {
  roleId: string;
  /** Empty for what the community chose. */
  manualChanges: ManualChanges | '';
  approvesGrants: boolean;
}

export interface PolicyForm extends Limits {
  needsTwo: boolean;
  isQuiet: boolean;
  from: string;
  to: string;
  timeZone: string;
  manualChanges: ManualChanges;
  roles: RoleForm[];
}

export function toForm(policy: Pick<Policy, 'approvers' | 'quietHours' | 'roles'> & Partial<Policy>): PolicyForm {
  const { quietHours, approvers, manualChanges = 'leave', roles } = policy;
  return {
    ...limitFields(policy),
    needsTwo: approvers > 1,
    isQuiet: quietHours !== undefined,
    from: timeOr('22:00', quietHours?.from),
    to: timeOr('07:00', quietHours?.to),
    timeZone: quietHours?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    manualChanges,
    roles: roles.map((role) => ({
      roleId: role.roleId,
      ...limitFields(role),
      approvesGrants: role.approvesGrants,
      manualChanges: role.manualChanges ?? '',
    })),
  };
}

function limitFields({ removalPercent = '', removalCount = '', removalsPerDay = '' }: Partial<Limits>): Limits {
  return { removalPercent, removalCount, removalsPerDay };
}

/** The whole policy; undefined while the quiet hours cannot be saved. */
export function toBody(form: PolicyForm): Body | undefined {
  const { needsTwo, isQuiet, from, to, timeZone, manualChanges, roles, ...limits } = form;
  if (isQuiet && (from === '' || to === '' || from === to)) return undefined;
  return {
    ...setLimits(limits),
    approvers: needsTwo ? 2 : 1,
    ...(isQuiet && { quietHours: { from, to, timeZone } }),
    ...(manualChanges !== 'leave' && { manualChanges }),
    roles: roles.map(({ roleId, approvesGrants, manualChanges: ofRole, ...own }) => ({
      roleId,
      approvesGrants,
      ...setLimits(own),
      ...(ofRole !== '' && { manualChanges: ofRole }),
    })),
  };
}

function setLimits(limits: Limits): { [Name in keyof Limits]?: number } {
  const set = Object.entries(limits).map(([name, limit]) => [name, limitOf(limit)] as const);
  return Object.fromEntries(set.filter(([, limit]) => limit !== undefined));
}

/** A field that was emptied is not a limit of 0. */
export function limitOf(limit: Limit): number | undefined {
  return limit === '' || Number.isNaN(Number(limit)) ? undefined : Number(limit);
}

/** A time field takes nothing but HH:mm; anything else would be shown as empty and complained about by the browser. */
function timeOr(usual: string, time: string | undefined): string {
  return time !== undefined && /^\d\d:\d\d$/.test(time) ? time : usual;
}
