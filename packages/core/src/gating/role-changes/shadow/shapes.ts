import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import { reasonForPeople } from '../api/shapes.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });

export const ShadowMode = record('ShadowMode', 'Whether a community only compares roles with its rules.', {
  isOn: T.Boolean({ description: 'While it is on, no roles are changed.' }),
  startedTime: T.Optional(text('When it was last started, in ISO 8601.')),
  takenOverTime: T.Optional(text('When Latchkey took over, in ISO 8601; absent while it is on.')),
  takeOver: T.Optional(
    record('ShadowTakeOver', 'The progress of a requested takeover.', {
      askedTime: T.Optional(text('When it was requested, in ISO 8601; absent if it was canceled.')),
      checkedMembers: count('How many members were checked.'),
      members: T.Optional(count('How many members there are; absent until they are counted.')),
      problem: T.Optional(text('Why it is waiting or was canceled.')),
    }),
  ),
  changeSetId: T.Optional(text('The change set of the takeover, or the one that undoes it.')),
  days: T.Array(
    record('ShadowDay', 'How many differences there were on a day, as last seen that day.', {
      day: text('The day, for example 2026-01-31, in UTC.'),
      grants: count('How many roles the rules would have granted.'),
      revokes: count('How many roles the rules would have removed.'),
      members: count('How many members that affects.'),
    }),
    { description: 'The last 90 days with differences, newest first.', maxItems: 90 },
  ),
});
export type ShadowMode = ValueOf<typeof ShadowMode>;

export const ShadowDifference = record('ShadowDifference', 'A role that differs from what the rules require.', {
  userId: text('The qualified id of the member.'),
  userName: T.Optional(text('The member’s display name on the platform; absent if unknown.')),
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
  action: choice('What the rules would have done.', ['grant', 'revoke'] as const),
  seenTime: text('When it was last seen that day, in ISO 8601.'),
  ...reasonForPeople,
});
export type ShadowDifference = ValueOf<typeof ShadowDifference>;
