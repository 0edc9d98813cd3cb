import {
  approveRolePlan,
  type Context,
  explainRole,
  getRolePlan,
  listRolePlans,
  listRoleStops,
  previewRolePlan,
  type RolePlanRow,
  type RoleStop,
  rejectRolePlan,
  retryRolePlan,
  undoRolePlan,
} from '@latchkey/core';
import { type Command, need, numberOf, UsageError } from '../command.ts';
import { onRecord } from '../on-record.ts';
import { print, printTable } from '../print.ts';

export const plans: Command = {
  usage:
    'plans <community> | preview <community> | show <plan> | approve|reject|retry|undo <plan> [--reason "…"] | why <community> <user> <role> [--at <time>]',
  meaning: 'see what roles will change or did change, and why; approve a held plan; retry a failed one; undo one',
  words: 4,
  options: ['reason', 'at', 'limit'],
  run: async (ctx, [verb, id, user, role], options) => {
    switch (need(verb, 'plans and the id of a community')) {
      case 'preview':
        return showPlan(ctx, (await previewRolePlan(ctx, need(id, 'the id of the community'), '*')).id, 20);
      case 'show':
        return showPlan(ctx, need(id, 'the id of the plan'), numberOf(options.limit, 20, 'limit'));
      case 'approve':
        await decide(ctx, 'plan.approve', id, options, (planId) => approveRolePlan(ctx, planId));
        return print('The plan goes on. A worker writes it under the limits of the platform.');
      case 'reject':
        await decide(ctx, 'plan.reject', id, options, (planId) => rejectRolePlan(ctx, planId));
        return print('The plan is given up. Everybody keeps their roles.');
      case 'retry':
        await decide(ctx, 'plan.retry', id, options, (planId) => retryRolePlan(ctx, planId));
        return print('The plan is tried again. What is no longer wanted is left out.');
      case 'undo': {
        const undo = await decide(ctx, 'plan.undo', id, options, (planId) => undoRolePlan(ctx, planId));
        return print(`A new plan takes it back: ${undo.id}`);
      }
      case 'why':
        return explain(ctx, need(id, 'the community'), need(user, 'the user'), need(role, 'the role'), options.at);
      default:
        return listPlans(ctx, need(verb, 'the id of the community'), numberOf(options.limit, 20, 'limit'));
    }
  },
};

async function decide<Result>(
  ctx: Context,
  action: 'plan.approve' | 'plan.reject' | 'plan.retry' | 'plan.undo',
  id: string | undefined,
  { reason }: Readonly<Record<string, string | undefined>>,
  work: (planId: string) => Promise<Result>,
): Promise<Result> {
  const target = need(id, 'the id of the plan');
  const communityId = await getRolePlan(ctx, target, { limit: 1 }).then(
    ({ plan }) => plan.community_id,
    () => undefined,
  );
  return onRecord(ctx, { action, target, communityId, reason }, () => work(target));
}

const headings = ['PLAN', 'STATUS', 'CAUSE', 'GIVES', 'TAKES', 'UNKNOWN', 'CALLS', 'MADE'];

function row(plan: RolePlanRow): string[] {
  const { id, status, cause, grants, revokes, unknowns, calls, created_at } = plan;
  return [
    id,
    status,
    cause,
    String(grants),
    String(revokes),
    String(unknowns),
    String(calls),
    created_at.toISOString(),
  ];
}

async function listPlans(ctx: Context, communityId: string, limit: number): Promise<void> {
  const { items } = await listRolePlans(ctx, communityId, { limit });
  printTable([headings, ...items.map(row)]);
  for (const stop of await listRoleStops(ctx, communityId)) print(`\n${describeStop(stop)}`);
}

function describeStop({ roleId, userId, advice, since }: RoleStop): string {
  const what = roleId === undefined ? 'Roles' : `The role ${roleId}`;
  const whose = userId === undefined ? '' : ` of ${userId}`;
  return `${what}${whose} cannot be written since ${since.toISOString()}: ${advice}`;
}

async function showPlan(ctx: Context, planId: string, limit: number): Promise<void> {
  const { plan, items } = await getRolePlan(ctx, planId, { limit });
  printTable([headings, row(plan)]);
  if (plan.note !== null) print(`\n${plan.note}`);
  print('');
  printTable([
    ['MEMBER', 'ROLE', 'CHANGE', 'STATE', 'TROUBLE'],
    ...items.items.map((item) => [item.user_id, item.role_id, item.action, item.state, item.last_error ?? '']),
  ]);
  const left = plan.grants + plan.revokes - items.items.length;
  if (left > 0) print(`… and ${left} more; --limit shows up to 100.`);
}

async function explain(
  ctx: Context,
  communityId: string,
  userId: string,
  roleId: string,
  time: string | undefined,
): Promise<void> {
  const at = time === undefined ? ctx.clock() : new Date(time);
  if (Number.isNaN(at.getTime())) throw new UsageError('Say a time such as 2026-01-31T12:00:00Z with --at.');
  const { had, entry } = await explainRole(ctx, { communityId, userId, roleId, at });
  print(`${userId} ${had ? 'had' : 'did not have'} the role ${roleId} at ${at.toISOString()}, by what is recorded.`);
  if (entry === undefined) return print('Nothing about it was written until then.');
  print(`It was a ${entry.action} of plan ${entry.plan_id} at ${entry.at.toISOString()}, because:`);
  print(JSON.stringify(entry.reason, null, 2));
}
