import type { Context } from '../../context.ts';
import { listClientApps } from '../../developers/client-apps/index.ts';
import { selectHeldPlans, selectStopsSeen } from '../../gating/role-plans/index.ts';
import { selectCommunityNames } from '../communities/index.ts';
import { listMiniApps } from '../miniapps/index.ts';
import type { Waiting, WaitingItem } from './waiting.ts';

const mostItems = 100;

/** What waits for the caller: of communities for their admins, of applications for the operator. */
export async function listWaiting(ctx: Context): Promise<Waiting> {
  const items = await (ctx.actor.kind === 'user' ? waitingInCommunities(ctx) : waitingForOperator(ctx));
  items.sort((a, b) => (a.sinceTime < b.sinceTime ? 1 : -1));
  return { items: items.slice(0, mostItems), hasMore: items.length > mostItems };
}

async function waitingInCommunities(ctx: Context): Promise<WaitingItem[]> {
  // The row policies show plans and blocked roles of those communities only that the caller looks after.
  return ctx.tx(async (tx) => {
    const plans = await selectHeldPlans(tx, mostItems + 1);
    const stops = await selectStopsSeen(tx, mostItems + 1);
    const ids = [...plans, ...stops].map(({ community_id }) => community_id);
    const names = await selectCommunityNames(tx, [...new Set(ids)]);
    const place = (id: string) => ({ communityId: id, communityName: names.get(id) });
    return [
      ...plans.map(
        ({ id, community_id, grants, revokes, created_at }): WaitingItem => ({
          kind: 'held-plan',
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
        text: 'An application waits for approval.',
        sinceTime: createdTime,
      }),
    ),
    ...miniApps.map(
      ({ id = '', name = '', createdTime = now }): WaitingItem => ({
        kind: 'pending-mini-app',
        id,
        name,
        text: 'A mini-app waits for review.',
        sinceTime: createdTime,
      }),
    ),
  ];
}
