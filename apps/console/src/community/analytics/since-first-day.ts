import type { Answer } from '../../shared/api/index.ts';

export type Series = Answer<'GET /latchkey/communities/{communityId}/series'>;

/** A chart of a single day has no line. */
const fewestDays = 2;

/** Drops the days before the community was added: nothing was counted then, which is not the same as zero. */
export function sinceFirstDay({ days, roles, ...rest }: Series): Series {
  const isKnown = ({ members, given, taken, joined, left }: Series['days'][number]) =>
    members !== undefined || given + taken + joined + left > 0;
  const first = days.findIndex(isKnown);
  const from = Math.max(0, Math.min(first === -1 ? days.length : first, days.length - fewestDays));
  return {
    ...rest,
    days: days.slice(from),
    roles: roles.map((role) => ({ ...role, holders: role.holders.slice(from) })),
  };
}
