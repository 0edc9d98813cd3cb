import { chatPlatforms } from '@latchkey/kernel';
import { type DiscordPermission, discordPermissions } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

/** The permissions that the bot uses in a Discord server, and what for. It requests no others. */
export const usedPermissions = chatPlatforms.discord.botPermissions satisfies Partial<
  Record<DiscordPermission, string>
>;

/** What makes the Security page complete. The invite link does not ask for them. */
export const optionalPermissions = {
  ViewAuditLog: 'Lists invites that carry roles of your rules on the Security page.',
  ManageGuild: 'Lists integrations there, and closes invites and onboarding options that give such roles.',
} as const satisfies Partial<Record<DiscordPermission, string>>;

export type UsedPermission = keyof typeof usedPermissions;

export function isUsedPermission(name: string): name is UsedPermission {
  return Object.hasOwn(usedPermissions, name);
}

const discordUrl = 'https://discord.com/oauth2/authorize';
const telegramUrl = 'https://t.me';

/** Where an admin adds the bot to a Discord server: one they choose, or a given one, with `more` permissions if wanted. */
export function discordInvite(
  { settings }: Pick<Context, 'settings'>,
  guildId?: string,
  more: readonly DiscordPermission[] = [],
): string | undefined {
  const { discordClientId, inviteUrls } = settings;
  if (discordClientId === undefined) return undefined;
  const names = [...Object.keys(usedPermissions).filter(isUsedPermission), ...more];
  const permissions = names.reduce((sum, name) => sum | discordPermissions[name], 0n);
  const query = new URLSearchParams({
    client_id: discordClientId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
    ...(guildId !== undefined && { guild_id: guildId, disable_guild_select: 'true' }),
  });
  return `${inviteUrls?.discord ?? discordUrl}?${query}`;
}

/**
 * The link by which an admin adds the bot to a Telegram group, as an administrator with the rights that it uses: two, and a third once a
 * rule gives a tag. Telegram’s apps read its name as TDLib does (`get_administrator_rights` in td/telegram/LinkManager.cpp), and those
 * that do not know it leave it out.
 */
export function telegramInvite(
  { settings }: Pick<Context, 'settings'>,
  botName: string,
  { givesTags = false } = {},
): string {
  const base = settings.inviteUrls?.telegram ?? telegramUrl;
  const rights = ['invite_users', 'restrict_members', ...(givesTags ? ['manage_tags'] : [])];
  return `${base}/${botName}?startgroup=latchkey&admin=${rights.join('+')}`;
}
