import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';

export const WaitingItem = record('WaitingItem', 'Something that waits for somebody to decide or fix it.', {
  kind: choice(
    'held-plan: role changes that need approval. blocked-role: the platform does not let Latchkey change a role. pending-application and pending-mini-app: wait for the operator.',
    ['held-plan', 'blocked-role', 'pending-application', 'pending-mini-app'] as const,
  ),
  id: text('The id of the plan, application or mini-app; of a blocked role, the community and the role.'),
  text: text('What waits, in words.', { maxLength: 4096 }),
  sinceTime: text('Since when, in ISO 8601.'),
  communityId: T.Optional(text('The qualified id of the community that it is about.')),
  communityName: T.Optional(text('What the community is called.')),
  name: T.Optional(text('What the application or mini-app is called.')),
});
export type WaitingItem = ValueOf<typeof WaitingItem>;

export const Waiting = record('Waiting', 'What waits for you, the newest first.', {
  items: T.Array(WaitingItem, { description: 'Up to 100 of them.', maxItems: 100 }),
  hasMore: T.Boolean({ description: 'Whether more than these wait.' }),
});
export type Waiting = ValueOf<typeof Waiting>;
