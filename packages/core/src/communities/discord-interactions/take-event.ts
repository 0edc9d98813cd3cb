import type { Services } from '../../context.ts';
import { resumeCommunity, resumeRole } from '../../gating/role-plans/index.ts';
import { announce } from '../../machinery/announcements/index.ts';
import type { DiscordEvent } from '../../ports/index.ts';
import { forgetArrival, noteArrival } from '../arrivals/index.ts';
import { communityKey, recheckAdmins, setCommunityStatus, userKey } from '../communities/index.ts';
import { askDiscord } from '../discord/index.ts';
import { noteInteraction } from '../interactions/index.ts';
import { noteMember } from '../members/index.ts';
import { tellMemberNews } from '../miniapps/index.ts';
import { rereadPicture } from '../pictures/index.ts';
import { handleInteraction } from './handle-interaction.ts';
import { readInteraction } from './interaction.ts';

/** Takes in what the gateway of Discord tells. Events of servers that are not known here change nothing. */
export async function takeDiscordEvent(services: Services, event: DiscordEvent): Promise<void> {
  switch (event.kind) {
    case 'member-joined':
    case 'member-updated': {
      const kind = event.kind === 'member-joined' ? 'joined' : 'updated';
      const { userName, roleIds, isBot } = event;
      await noteMember(services, 'discord', event.guildId, event.userId, { kind, userName, roleIds, isBot });
      await tellMemberNews(services.db.system, {
        event: 'guildMemberUpdate',
        guildId: event.guildId,
        userId: event.userId,
        roles: roleIds,
      });
      await recheckAdmin(services, event);
      // The bot may have got another role, and with it what it needs.
      if (isBot) {
        await resumeCommunity(services, communityKey('discord', event.guildId));
        await tellSetup(services, event);
      }
      return kind === 'joined' ? noteUse(services, event.guildId, 'join') : undefined;
    }
    case 'member-left':
      await noteMember(services, 'discord', event.guildId, event.userId, { kind: 'left' });
      await tellMemberNews(services.db.system, {
        event: 'guildMemberRemove',
        guildId: event.guildId,
        userId: event.userId,
        roles: [],
      });
      await recheckAdmin(services, event);
      return noteUse(services, event.guildId, 'leave');
    case 'message':
      await noteMember(services, 'discord', event.guildId, event.userId, { kind: 'active' });
      return noteUse(services, event.guildId, 'message');
    case 'role-updated':
      await tellSetup(services, event);
      await recheckAdmins(services.db.system, communityKey('discord', event.guildId));
      return resumeRole(services, communityKey('discord', event.guildId), event.roleId);
    case 'guild-updated':
      await rereadPicture(services.db.system, communityKey('discord', event.guildId));
      return recheckAdmins(services.db.system, communityKey('discord', event.guildId));
    case 'channel-changed':
      return tellSetup(services, event);
    case 'guild-left':
      await forgetArrival(services, 'discord', event.guildId);
      return setCommunityStatus(services, communityKey('discord', event.guildId), 'kicked');
    case 'guild-joined': {
      const { guildId: communityId, name, ownerId } = event;
      await noteArrival(services, { platform: 'discord', communityId, name, ownerId });
      return setCommunityStatus(services, communityKey('discord', event.guildId), 'active');
    }
    case 'interaction':
      return answerByGateway(services, event.interaction);
  }
}

/** Whoever watches the set-up of a community just now sees what an admin changes on Discord. */
function tellSetup(services: Services, { guildId }: { guildId: string }): Promise<void> {
  return announce(services.db.system, { changed: 'setup', community: communityKey('discord', guildId) });
}

/** What a member may do hangs on the roles they hold. */
function recheckAdmin(services: Services, { guildId, userId }: { guildId: string; userId: string }): Promise<void> {
  return recheckAdmins(services.db.system, communityKey('discord', guildId), userKey('discord', userId));
}

function noteUse(services: Services, guildId: string, kind: 'join' | 'leave' | 'message'): Promise<void> {
  return noteInteraction(services.db.system, communityKey('discord', guildId), kind, services.clock());
}

async function answerByGateway(services: Services, body: unknown): Promise<void> {
  const interaction = readInteraction(body);
  if (interaction === undefined || interaction.kind === 'ping') return;
  const response = await handleInteraction(services, body);
  await askDiscord(services, (discord) => discord.respond(interaction, response));
}
