import { AppError, T, text } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { toUserKey } from '../../../shared/qualified-ids.ts';

export const changeSetId = text('The id of the change set.', { minLength: 1, maxLength: 64 });
export const roleId = text('The id of the role on the platform.', { minLength: 1, maxLength: 128 });
export const userId = text('The member, by the qualified id or the platform’s own one.', {
  minLength: 1,
  maxLength: 128,
});
export const search = T.Optional(
  text('Lists only changes of members whose name or id contains this, and of roles whose name does. Ignores case.', {
    minLength: 1,
    maxLength: 100,
  }),
);
export const time = T.Optional(
  text('The time in question, in ISO 8601 with a time zone, for example 2026-01-31T12:00:00Z. Defaults to now.', {
    format: 'date-time',
    maxLength: 40,
  }),
);
export const userIds = T.Optional(
  T.Array(userId, { description: 'Up to 100 members. Leave it out for every member.', minItems: 1, maxItems: 100 }),
);

export function memberKey({ platform }: Pick<CommunityRow, 'platform'>, id: string): string {
  return toUserKey(platform, id);
}

/** The schema accepts leap seconds, which `Date` cannot represent. */
export function momentOf(text: string): Date {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new AppError('INVALID_PARAMETER_VALUE', 'The parameter at must be a time such as 2026-01-31T12:00:00Z.', {
    details: { parameter: 'at' },
  });
}
