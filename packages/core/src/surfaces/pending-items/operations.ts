import { choice, op, record, T, text, user, type ValueOf } from '@latchkey/kernel';
import { selectCommunityNames } from '../../communities/community-records/index.ts';
import { listMiniApps } from '../../developers/mini-apps/index.ts';
import { selectHeldChangeSets, selectVisibleBreakers } from '../../gating/role-changes/index.ts';
import { listClientApps } from '../../identity/client-apps/index.ts';
import type { Context } from '../../shared/context.ts';

const WaitingItem = record('WaitingItem', 'Something that needs a decision or a fix.', {
  kind: choice(
    'held-change-set: role changes that need approval. blocked-role: the platform does not let Latchkey change a role. pending-application and pending-mini-app: wait for the operator.',
    ['held-change-set', 'blocked-role', 'pending-application', 'pending-mini-app'] as const,
  ),
  id: text('The id of the change set, application or mini-app; of a blocked role, the community and the role.'),
  text: text('What is waiting, in plain words.', { maxLength: 4096 }),
  sinceTime: text('Since when, in ISO 8601.'),
  communityId: T.Optional(text('The qualified id of the community that it is about.')),
  communityName: T.Optional(text('What the community is called.')),
  name: T.Optional(text('What the application or mini-app is called.')),
});
type WaitingItem = ValueOf<typeof WaitingItem>;

const Waiting = record('Waiting', 'Items that need your attention, newest first.', {
  items: T.Array(WaitingItem, { description: 'Up to 100 of them.', maxItems: 100 }),
  hasMore: T.Boolean({ description: 'Whether there are more.' }),
});
type Waiting = ValueOf<typeof Waiting>;

const mostItems = 100;

/** Returns what is waiting for the caller: community items for admins, applications for the operator. */
export async function listWaiting(ctx: Context): Promise<Waiting> {
  const items = await (ctx.actor.kind === 'user' ? waitingInCommunities(ctx) : waitingForOperator(ctx));
  items.sort((a, b) => (a.sinceTime < b.sinceTime ? 1 : -1));
  return { items: items.slice(0, mostItems), hasMore: items.length > mostItems };
}

async function waitingInCommunities(ctx: Context): Promise<WaitingItem[]> {
  // The row policies show only change sets and blocked roles of communities that the caller administers.
  return ctx.tx(async (tx) => {
    const changeSets = await selectHeldChangeSets(tx, mostItems + 1);
    const stops = await selectVisibleBreakers(tx, mostItems + 1);
    const ids = [...changeSets, ...stops].map(({ community_id }) => community_id);
    const names = await selectCommunityNames(tx, [...new Set(ids)]);
    const place = (id: string) => ({ communityId: id, communityName: names.get(id) });
    return [
      ...changeSets.map(
        ({ id, community_id, grants, revokes, created_at }): WaitingItem => ({
          kind: 'held-change-set',
          id,
          text: `${changesInWords(grants, revokes)} need your approval.`,
          sinceTime: created_at.toISOString(),
          ...place(community_id),
        }),
      ),
      ...stops.map(
        ({ community_id, role_id, user_id, advice, since }): WaitingItem => ({
          kind: 'blocked-role',
          id: [community_id, role_id, user_id].join(' '),
          text: advice,
          sinceTime: since.toISOString(),
          ...place(community_id),
        }),
      ),
    ];
  });
}

function changesInWords(grants: number, revokes: number): string {
  const counted = (count: number, word: string) =>
    count === 0 ? [] : [`${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`];
  return [...counted(revokes, 'role removal'), ...counted(grants, 'new role')].join(' and ') || 'Role changes';
}

async function waitingForOperator(ctx: Context): Promise<WaitingItem[]> {
  const [applications, miniApps] = await Promise.all([
    listClientApps(ctx, { status: 'PENDING' }),
    listMiniApps(ctx, 'PENDING'),
  ]);
  const now = ctx.clock().toISOString();
  return [
    ...applications.map(
      ({ id = '', name = '', createdTime = now }): WaitingItem => ({
        kind: 'pending-application',
        id,
        name,
        text: 'An application is waiting for approval.',
        sinceTime: createdTime,
      }),
    ),
    ...miniApps.map(
      ({ id = '', name = '', createdTime = now }): WaitingItem => ({
        kind: 'pending-mini-app',
        id,
        name,
        text: 'A mini-app is waiting for review.',
        sinceTime: createdTime,
      }),
    ),
  ];
}

export const waitingOperations = [
  op(
    'GET /latchkey/account/waiting',
    {
      id: 'listWaiting',
      summary: 'List items that need your attention',
      description:
        'Returns what waits for the signed-in person: role changes that need approval and blocked roles in the communities they are an admin of. For the operator, applications and mini-apps that wait for a decision. No scope grants it.',
      access: user(),
      returns: Waiting,
    },
    listWaiting,
  ),
] as const;
