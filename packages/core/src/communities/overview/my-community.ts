import { choice, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';

const count = (description: string) => T.Number({ description, minimum: 0 });

export const MyCommunity = record(
  'MyCommunity',
  'A community that the signed-in person manages, and what waits in it.',
  {
    id: text('The qualified id, for example DIS#COMM#123.'),
    name: text('What people call it.'),
    picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
    platform: choice('The chat platform.', platformNames),
    status: choice('active; paused by its admins; kicked: the bot was removed.', ['active', 'paused', 'kicked']),
    members: count('How many people are in it, as far as the platform shows them.'),
    rules: count('How many rules it has.'),
    heldPlans: count('Role changes that wait for approval.'),
    stoppedRoles: count('Roles that the platform does not let the bot give.'),
    setupProblems: T.Array(text('What to do about it.'), {
      description: 'What the last scheduled look at the setup found wrong.',
      maxItems: 1000,
    }),
  },
);
export type MyCommunity = ValueOf<typeof MyCommunity>;
