import { AppError, type AuditAction, notFound, T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import {
  administersCommunity,
  type CommunityRow,
  requireRuler,
  selectCommunity,
} from '../../communities/community/index.ts';
import { reasonInWords } from '../../gating/evaluation/index.ts';
import { readNames } from '../../gating/naming/index.ts';
import {
  approveRolePlan,
  getRolePlan,
  listRolePlans,
  listRoleStops,
  type PlanShare,
  type RolePlanRow,
  rejectRolePlan,
  summarizeRolePlan,
  undoRolePlan,
} from '../../gating/role-changes/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { answer, type BotAnswer, type BotButton } from './answer.ts';
import { linkToPlan, linkToPlans } from './console-links.ts';
import { changesInWords, decisionInWords, noteInWords, planInWords, timeInWords } from './plan-words.ts';

export const planId = text('The id of the plan', { maxLength: 64, pattern: '^[\\w-]+$' });
export const changeCount = text('How many changes were shown', { maxLength: 9, pattern: '^\\d+$' });

/** What commands about plans take, alike on every platform. */
const readPlanInput = validatorOf(T.Object({ plan: planId, count: T.Optional(changeCount) }), {
  what: 'The command',
  unknownFields: 'refuse',
});

const shownPlans = 5;
const shownMembers = 10;

/** The latest plans, and what keeps roles from being written. */
async function showPlans(ctx: Context, community: CommunityRow): Promise<BotAnswer> {
  const { items: plans } = await listRolePlans(ctx, community.id, { limit: shownPlans });
  const stops = await listRoleStops(ctx, community.id);
  if (plans.length === 0 && stops.length === 0) return answer('No roles were changed here yet.');
  const names = await readNames(
    ctx,
    community,
    plans.flatMap(({ decided_by }) => decided_by ?? []),
  );
  const lines = await Promise.all(
    plans.map(async (plan) => {
      const words = planInWords(plan, await summarizeRolePlan(ctx, plan.id), names);
      return `• ${words} Plan ${plan.id}`;
    }),
  );
  const blocked = stops.map(
    ({ roleId, advice, since }) =>
      `• Blocked since ${timeInWords(since)}: ${roleId === undefined ? 'all roles' : names.role(roleId)}. ${advice}`,
  );
  return answer(
    [...blocked, ...lines].join('\n'),
    plans.filter(isOpen).flatMap(buttonsOf),
    linkToPlans(ctx, community),
  );
}

/** One plan: what it changes, whose roles, and why. */
export async function showPlan(ctx: Context, community: CommunityRow, planId: string): Promise<BotAnswer> {
  const { plan, items } = await getRolePlan(ctx, planId, { limit: shownMembers });
  refuseForeign(plan, community);
  const shares = await summarizeRolePlan(ctx, planId);
  const people = [...items.items.map(({ user_id }) => user_id), ...(plan.decided_by === null ? [] : [plan.decided_by])];
  const names = await readNames(ctx, community, people);
  const lines = items.items.map(({ user_id, role_id, action, reason, last_error }) => {
    const verb = action === 'grant' ? 'gets' : 'loses';
    const why = [...reasonInWords(reason, names, 'other'), ...(last_error === null ? [] : [last_error])].join(' ');
    return `• ${names.member(user_id)} ${verb} ${names.role(role_id)}. ${why}`.trim();
  });
  const left = plan.grants + plan.revokes - lines.length;
  const text = [
    planInWords(plan, shares, names),
    noteInWords(
      plan,
      shares.map(({ roleId }) => roleId),
      names,
    ),
    ...lines,
    ...(left > 0 ? [`… and ${left} more changes.`] : []),
  ];
  const shown = text.filter((line) => line !== '').join('\n');
  return answer(shown, buttonsOf(plan), linkToPlan(ctx, community, planId));
}

/** Asks again, with the number of changes. The number comes back with the answer, so that it counts for what was shown. */
async function approvePlan(ctx: Context, community: CommunityRow, planId: string, count?: string): Promise<BotAnswer> {
  const plan = await ownPlan(ctx, community, planId);
  const shares = await summarizeRolePlan(ctx, planId);
  const waiting = countOf(shares, 'waiting');
  if (plan.status !== 'held' && plan.status !== 'previewed') return decided(ctx, community, plan);
  if (count !== String(waiting.all)) {
    const changed = count === undefined || count === '' ? '' : 'The plan has changed meanwhile. ';
    return answer(
      `${changed}Approve ${changesInWords(waiting.grants, waiting.revokes)}? Members lose or get these roles at once.`,
      [
        {
          label: `Approve ${changesInWords(waiting.grants, waiting.revokes)}`,
          words: ['approve', planId, String(waiting.all)],
        },
        { label: 'Show', words: ['show', planId] },
      ],
      linkToPlan(ctx, community, planId),
    );
  }
  await approveRolePlan(ctx, planId);
  await putOnRecord(ctx, 'plan.approve', community.id, planId);
  return answer(`Approved: ${changesInWords(waiting.grants, waiting.revokes)}. The roles are being changed.`, [
    undoButton(planId),
  ]);
}

async function rejectPlan(ctx: Context, community: CommunityRow, planId: string): Promise<BotAnswer> {
  const plan = await ownPlan(ctx, community, planId);
  if (plan.status !== 'held' && plan.status !== 'previewed') return decided(ctx, community, plan);
  await rejectRolePlan(ctx, planId);
  await putOnRecord(ctx, 'plan.reject', community.id, planId);
  return answer('Rejected. The members keep their roles until you ask for a check or change the rule.');
}

async function undoPlan(ctx: Context, community: CommunityRow, planId: string, count?: string): Promise<BotAnswer> {
  await ownPlan(ctx, community, planId);
  const written = countOf(await summarizeRolePlan(ctx, planId), 'written');
  // What an undo does is the opposite.
  const words = changesInWords(written.revokes, written.grants);
  if (count !== String(written.all))
    return answer(`Undo the plan? That means ${words}, and stops the rest of it.`, [
      { label: `Undo: ${words}`, words: ['undo', planId, String(written.all)] },
    ]);
  const undo = await undoRolePlan(ctx, planId);
  await putOnRecord(ctx, 'plan.undo', community.id, planId);
  return answer(`Undone: ${words}. Plan ${undo.id} puts the roles back.`);
}

/** The buttons that make sense for a plan as it stands. */
export function buttonsOf({ id, status }: Pick<RolePlanRow, 'id' | 'status'>): BotButton[] {
  const tag = id.slice(0, 6);
  const show: BotButton = { label: `Show ${tag}`, words: ['show', id] };
  if (status === 'held' || status === 'previewed')
    return [
      show,
      { label: `Approve ${tag}…`, words: ['approve', id] },
      { label: `Reject ${tag}`, words: ['reject', id] },
    ];
  return status === 'undone' || status === 'rejected' ? [show] : [show, undoButton(id)];
}

function undoButton(planId: string): BotButton {
  return { label: `Undo ${planId.slice(0, 6)}…`, words: ['undo', planId] };
}

function isOpen({ status }: RolePlanRow): boolean {
  return status !== 'undone' && status !== 'rejected';
}

function countOf(shares: readonly PlanShare[], which: 'waiting' | 'written') {
  const of = (action: PlanShare['action']) =>
    shares.filter((share) => share.action === action).reduce((sum, share) => sum + share[which], 0);
  const [grants, revokes] = [of('grant'), of('revoke')];
  return { grants, revokes, all: grants + revokes };
}

/** The community of a plan that the caller may decide on, for where a chat does not say which it is. */
export async function communityOfPlan(ctx: Context, planId: string): Promise<CommunityRow> {
  readPlanInput({ plan: planId });
  const { plan } = await getRolePlan(ctx, planId, { limit: 1 });
  const community = await selectCommunity(ctx.db.system, plan.community_id);
  if (community === undefined) throw notFound('plan');
  return community;
}

async function ownPlan(ctx: Context, community: CommunityRow, planId: string): Promise<RolePlanRow> {
  const { plan } = await getRolePlan(ctx, planId, { limit: 1 });
  refuseForeign(plan, community);
  return plan;
}

/** Somebody may look after several communities; a command is about the one it is given in. */
function refuseForeign(plan: RolePlanRow, community: CommunityRow): void {
  if (plan.community_id !== community.id) throw new AppError('ENTITY_NOT_FOUND', 'Plan not found in this community.');
}

async function decided(ctx: Context, community: CommunityRow, plan: RolePlanRow): Promise<BotAnswer> {
  const names = await readNames(ctx, community, plan.decided_by === null ? [] : [plan.decided_by]);
  return answer(`This plan was decided already.${decisionInWords(plan, names)}`, buttonsOf(plan));
}

function putOnRecord(ctx: Context, action: AuditAction, communityId: string, planId: string): Promise<void> {
  return recordAudit(ctx.db.system, auditOf(ctx, action, { communityId, target: planId }));
}

type Run = (ctx: Context, community: CommunityRow, planId: string, count?: string) => Promise<BotAnswer>;

/** What admins tell a bot about plans, alike on every platform. */
export const adminWords = {
  plans: (ctx, community) => showPlans(ctx, community),
  show: showPlan,
  approve: approvePlan,
  reject: rejectPlan,
  undo: undoPlan,
} as const satisfies Readonly<Record<string, Run>>;

export type AdminWord = keyof typeof adminWords;

export function isAdminWord(word: string): word is AdminWord {
  return Object.hasOwn(adminWords, word);
}

/** Does what an admin asks for, after the platform said that they still may. What is refused is an answer. */
export async function runAdminWord(
  ctx: Context,
  community: CommunityRow,
  word: AdminWord,
  [planId = '', count]: readonly string[] = [],
): Promise<BotAnswer> {
  if (word !== 'plans' && planId === '')
    return answer(`Say which plan: ${word} <plan>. The plans are listed by "plans".`);
  try {
    if (word !== 'plans') readPlanInput({ plan: planId, ...(count !== undefined && { count }) });
    await requireAdmin(ctx, community.id);
    const run: Run = adminWords[word];
    return await run(ctx, community, planId, count);
  } catch (error) {
    if (error instanceof AppError) return answer(error.message);
    throw error;
  }
}

/** Only admins pass, and only while the platform lets them manage the community there. */
export async function requireAdmin(ctx: Context, communityId: string): Promise<void> {
  if (!(await administersCommunity(ctx, communityId)))
    throw new AppError('ROLE_NOT_ALLOWED', 'Only admins of this community can do that.');
  await requireRuler(ctx, communityId);
}
