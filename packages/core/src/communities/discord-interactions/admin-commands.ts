import type { Context } from '../../context.ts';
import { requireAdmin } from '../bot-answers/index.ts';
import { type CommunityRow, userKey } from '../communities/index.ts';
import { issueGuestPass, listGuestPasses } from '../guest-passes/index.ts';
import { answerLater } from './answer-later.ts';
import type { Interaction } from './interaction.ts';
import { announce, button, type InteractionResponse, say } from './responses.ts';

type AdminCommand = (ctx: Context, community: CommunityRow, interaction: Interaction) => Promise<InteractionResponse>;

/** What only admins of the community may ask for, beside what they can do about plans on every platform. */
export const adminCommands: Readonly<Record<string, AdminCommand>> = {
  why: async (ctx, community, interaction) => answerLater(ctx, community, interaction, 'why'),
  setup: async (ctx) =>
    announce(
      `Some roles of this server are for members who hold certain tokens. Connect a wallet, and ${ctx.settings.serviceName} gives them to you.`,
      [button('Let’s go', 'latchkey:join')],
    ),
  guest: async (ctx, community, { options }) => {
    const passes = await listGuestPasses(ctx, { guildId: community.id });
    const pass = passes.find(({ id, name }) => id === options.pass || name === options.pass);
    if (pass?.id === undefined)
      return say(`Guest pass not found. There are: ${passes.map(({ name }) => name).join(', ') || 'none'}.`);
    const userId = userKey('discord', options.user ?? '');
    const { endsAt } = await issueGuestPass(ctx, { guildId: community.id, passId: pass.id, userId });
    return say(
      `<@${options.user}> is a guest with the pass "${pass.name}" until <t:${Math.floor(endsAt.getTime() / 1000)}:f>.`,
    );
  },
};

export async function runAdminCommand(
  ctx: Context,
  community: CommunityRow,
  command: AdminCommand,
  interaction: Interaction,
): Promise<InteractionResponse> {
  await requireAdmin(ctx, community.id);
  return command(ctx, community, interaction);
}
