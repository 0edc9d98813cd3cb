import { record, T, text, type ValueOf } from '@latchkey/kernel';

const count = (description: string) => T.Number({ description, minimum: 0 });

const RoleSeries = record('RoleSeries', 'How many members held a role, day by day.', {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('What the role is called now; absent where the platform does not tell.')),
  holders: T.Array(count('How many held it at the end of the day.'), {
    description: 'One number for each day, in the order of the days.',
    maxItems: 366,
  }),
});
export type RoleSeries = ValueOf<typeof RoleSeries>;

export const CommunitySeries = record('CommunitySeries', 'Figures about a community, day by day.', {
  communityId: text('The qualified id of the community.'),
  days: T.Array(
    record('CommunityDay', 'What happened in a community on one day, in UTC.', {
      date: text('The day, as YYYY-MM-DD.'),
      members: T.Optional(
        count('How many members it had, bots apart, as last counted on that day; absent if nobody did.'),
      ),
      joined: count('How many joined.'),
      left: count('How many left.'),
      given: count('How many roles Latchkey gave.'),
      taken: count('How many roles Latchkey took.'),
    }),
    { description: 'The days, oldest first, without gaps.', maxItems: 366 },
  ),
  roles: T.Array(RoleSeries, {
    description:
      'The roles that rules name or that changed, the most holders first, 50 at most. Counted back from today by what Latchkey gave and took: changes made by hand are not known.',
    maxItems: 50,
  }),
});
export type CommunitySeries = ValueOf<typeof CommunitySeries>;
