import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import { reasonForPeople } from '../api/shapes.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });

export const ShadowMode = record('ShadowMode', 'Whether a community only compares roles with its rules.', {
  isOn: T.Boolean({ description: 'While it is on, no role is written.' }),
  startedTime: T.Optional(text('When it was started last, in ISO 8601.')),
  takenOverTime: T.Optional(text('When Latchkey took over, in ISO 8601; absent while it is on.')),
  takeOver: T.Optional(
    record('ShadowTakeOver', 'How far a take-over is that was asked for.', {
      askedTime: T.Optional(text('When it was asked for, in ISO 8601; absent when it was given up.')),
      checkedMembers: count('How many members were checked.'),
      members: T.Optional(count('How many members there are; absent until they were counted.')),
      problem: T.Optional(text('Why it waits, or was given up.')),
    }),
  ),
  changeSetId: T.Optional(text('The change set of the take-over, or the one that puts its changes back.')),
  days: T.Array(
    record('ShadowDay', 'How many differences a day had, as last seen on it.', {
      day: text('The day, for example 2026-01-31, in UTC.'),
      grants: count('How many roles the rules would have granted.'),
      revokes: count('How many roles the rules would have removed.'),
      members: count('How many members that concerns.'),
    }),
    { description: 'The last 90 days with differences, newest first.', maxItems: 90 },
  ),
});
export type ShadowMode = ValueOf<typeof ShadowMode>;

export const ShadowDifference = record('ShadowDifference', 'A role that the rules decide otherwise than it is.', {
  userId: text('The qualified id of the member.'),
  userName: T.Optional(text('The member’s name on the platform; absent if unknown.')),
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The current name of the role; absent if unknown.')),
  action: choice('What the rules would have done.', ['grant', 'revoke'] as const),
  seenTime: text('When that was seen last on the day, in ISO 8601.'),
  ...reasonForPeople,
});
export type ShadowDifference = ValueOf<typeof ShadowDifference>;
