import type { AuditAction } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { approveRolePlan, listRolePlans, type RolePlanRow, undoRolePlan } from '../../gating/role-plans/index.ts';
import { auditOf, recordAudit } from '../../machinery/audit/index.ts';
import { administersCommunity, type CommunityRow, requireRuler, userKey } from '../communities/index.ts';
import { issueGuestPass, listGuestPasses } from '../guest-passes/index.ts';
import type { Interaction } from './interaction.ts';
import { announce, type Button, button, type InteractionResponse, say } from './responses.ts';

type AdminCommand = (ctx: Context, community: CommunityRow, interaction: Interaction) => Promise<InteractionResponse>;

/** What only those who look after the community may ask for. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
  setup: async (ctx) =>
    announce(
      `Some roles of this server are for those who hold certain tokens. ${ctx.settings.serviceName} gives them to you once you connect a wallet.`,
      [button('Let’s go', 'latchkey:join')],
    ),
  plans: async (ctx, community) => {
    const { items } = await listRolePlans(ctx, community.id, { limit: 5 });
    if (items.length === 0) return say('No roles were changed here yet.');
    return say(items.map(describePlan).join('\n'), items.flatMap(buttonOf));
  },
  approve: async (ctx, community, { options }) => {
    await approveRolePlan(ctx, options.plan ?? '');
    await putOnRecord(ctx, 'plan.approve', community.id, options.plan);
    return say('The plan is being done.');
  },
  undo: async (ctx, community, { options }) => {
    const undo = await undoRolePlan(ctx, options.plan ?? '');
    await putOnRecord(ctx, 'plan.undo', community.id, options.plan);
    return say(`What the plan changed is being put back, by plan ${undo.id}.`);
  },
  guest: async (ctx, community, { options }) => {
    const passes = await listGuestPasses(ctx, { guildId: community.id });
    const pass = passes.find(({ id, name }) => id === options.pass || name === options.pass);
    if (pass?.id === undefined)
      return say(`There is no such guest pass. There are: ${passes.map(({ name }) => name).join(', ') || 'none'}.`);
    const userId = userKey('discord', options.user ?? '');
    const { endsAt } = await issueGuestPass(ctx, { guildId: community.id, passId: pass.id, userId });
    return say(
      `<@${options.user}> is a guest with the pass "${pass.name}" until <t:${Math.floor(endsAt.getTime() / 1000)}:f>.`,
    );
  },
};

function putOnRecord(
  ctx: Context,
  action: AuditAction,
  communityId: string,
  planId: string | undefined,
): Promise<void> {
  return recordAudit(ctx.db.system, auditOf(ctx, action, { communityId, target: planId }));
}

export async function runAdminCommand(
  ctx: Context,
  community: CommunityRow,
  command: AdminCommand,
  interaction: Interaction,
): Promise<InteractionResponse> {
  if (!(await administersCommunity(ctx, community.id)))
    return say('Only those who look after this community can do that.');
  await requireRuler(ctx, community.id);
  return command(ctx, community, interaction);
}

function describePlan({ id, status, cause, grants, revokes, created_at, note }: RolePlanRow): string {
  const when = `<t:${Math.floor(created_at.getTime() / 1000)}:R>`;
  return `• ${when} **${status}** (${cause}): ${grants} gain, ${revokes} lose. \`${id}\`${note === null ? '' : ` ${note}`}`;
}

function buttonOf({ id, status }: RolePlanRow): Button[] {
  if (status === 'held' || status === 'previewed')
    return [button(`Approve ${id.slice(0, 6)}`, `latchkey:approve:${id}`)];
  return status === 'done' || status === 'applying' ? [button(`Undo ${id.slice(0, 6)}`, `latchkey:undo:${id}`)] : [];
}
