import { allows, permissionsOf } from '../../communities/discord-guilds/index.ts';
import type {
  DiscordChannelObject,
  DiscordMemberObject,
  DiscordPermission,
  DiscordRoleObject,
} from '../../ports/index.ts';

/** What Discord asks of a bot that creates invites with roles and takes them back, with the words of its settings. */
const needed = [
  {
    name: 'ManageRoles',
    title: 'Manage Roles',
    where: 'server',
    why: 'Discord lets only such bots give roles by an invite.',
  },
  { name: 'ViewChannel', title: 'View Channel', where: 'channel', why: 'The invite leads into this channel.' },
  { name: 'CreateInstantInvite', title: 'Create Invite', where: 'channel', why: 'Creates the invites.' },
  {
    name: 'ManageChannels',
    title: 'Manage Channel',
    where: 'channel',
    why: 'Revokes invites, and finds those whose creation was interrupted.',
  },
] as const satisfies readonly { name: DiscordPermission; title: string; where: string; why: string }[];

export interface InviteNeed {
  permission: string;
  why: string;
  isGiven: boolean;
  remedy?: string;
}

interface InviteScene {
  guildId: string;
  bot: DiscordMemberObject;
  roles: readonly DiscordRoleObject[];
}

/** What the bot needs in the channel of role invites, and whether it has it. */
export function findNeeds(scene: InviteScene, channel: DiscordChannelObject): InviteNeed[] {
  return needed.map(({ name, title, where, why }) => {
    const isGiven = allows(permissionsOf(scene, where === 'channel' ? channel : undefined), name);
    const remedy =
      where === 'channel'
        ? `In Discord, open the settings of #${channel.name ?? channel.id}, choose Permissions, add the bot, and allow ${title}.`
        : `In Discord, open Server Settings > Roles, choose the bot’s role, and switch on ${title}.`;
    return { permission: title, why, isGiven, ...(!isGiven && { remedy }) };
  });
}

const textChannels: ReadonlySet<number> = new Set([0, 5]);

/** Channels that an invite can lead into. */
export function canHoldInvites({ type }: DiscordChannelObject): boolean {
  return textChannels.has(type);
}
