import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { CommunityRow } from './queries.ts';

/** Below an hour, reading a large community would hardly end before it begins again. */
export const leastCheckPeriodSeconds = 60 * 60;
export const mostCheckPeriodSeconds = 30 * 24 * 60 * 60;

export const CommunitySettings = record('CommunitySettings', 'What the admins of a community choose here.', {
  communityId: text('The qualified id of the community.'),
  checkPeriodSeconds: T.Number({ description: 'How often every member is re-checked, in seconds.' }),
  isDefaultCheckPeriod: T.Boolean({ description: 'Whether that is the period of its plan.' }),
  defaultCheckPeriodSeconds: T.Number({ description: 'The period of its plan, in seconds.' }),
  leastCheckPeriodSeconds: T.Number({ description: 'The shortest period that can be set.' }),
  mostCheckPeriodSeconds: T.Number({ description: 'The longest period that can be set.' }),
  checksInBackground: T.Boolean({
    description: 'Whether scheduled re-checks run at all: the community is active, and disableBkgBalCheck is not set.',
  }),
  nextCheckTime: T.Optional(
    text('When every member is re-checked next, in ISO 8601; absent if that is due or switched off.'),
  ),
});
export type CommunitySettings = ValueOf<typeof CommunitySettings>;

export function toCommunitySettings(row: CommunityRow, defaultSeconds: number): CommunitySettings {
  const checksInBackground = row.status === 'active' && !row.disable_background_checks;
  return {
    communityId: row.id,
    checkPeriodSeconds: row.check_period_seconds ?? defaultSeconds,
    isDefaultCheckPeriod: row.check_period_seconds === null,
    defaultCheckPeriodSeconds: defaultSeconds,
    leastCheckPeriodSeconds,
    mostCheckPeriodSeconds,
    checksInBackground,
    ...(checksInBackground && row.next_check_at !== null && { nextCheckTime: row.next_check_at.toISOString() }),
  };
}
