import { discordPermissions } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectRules } from '../rule-records/index.ts';
import { askDiscord, guildOf } from './ask-discord.ts';
import type { BotConfigError, BotConfigValidationResponse } from './bot-config.ts';
import { checkBot, neededPermissions } from './check-bot.ts';

/** The channels in which the bot serves members and admins. The names of older installations count too. */
export const channelNames = [
  ['latchkey-config', 'collabland-config'],
  ['latchkey-join', 'collabland-join'],
] as const;

export async function checkBotConfig(
  ctx: Pick<Context, 'db' | 'discord' | 'settings'>,
  { communityId: id }: { communityId: string },
): Promise<BotConfigValidationResponse> {
  const { communityId, guildId } = await guildOf(ctx, id);
  const rules = await selectRules(ctx.db.system, communityId);
  const inviteLink = inviteLinkOf(ctx.settings.discordClientId, guildId);
  return askDiscord(ctx, async (discord) => {
    const bot = await discord.readBot(guildId);
    if (bot === undefined) {
      const action = 'Invite the bot into the server.';
      return answer([{ code: 'BOT_NOT_IN_SERVER', action, link: inviteLink, details: { critical: true } }]);
    }
    const [roles, channels] = await Promise.all([discord.readRoles(guildId), discord.readChannels(guildId)]);
    const ruleRoleIds = rules.map((rule) => rule.role_id);
    return answer(checkBot({ guildId, bot, roles, channels, ruleRoleIds, channelNames, inviteLink }));
  });
}

function answer(errors: BotConfigError[]): BotConfigValidationResponse {
  if (errors.length === 0) return { status: 'valid', errors };
  return { status: errors.some(isCritical) ? 'invalid' : 'incomplete', errors };
}

function isCritical({ details }: BotConfigError): boolean {
  return (details as { critical?: boolean } | undefined)?.critical === true;
}

/** The link by which an admin adds the bot, with exactly the permissions it needs. */
export function inviteLinkOf(clientId: string | undefined, guildId: string): string | undefined {
  if (clientId === undefined) return undefined;
  const permissions = neededPermissions.reduce((sum, name) => sum | discordPermissions[name], 0n);
  const query = new URLSearchParams({
    client_id: clientId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
    guild_id: guildId,
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}
