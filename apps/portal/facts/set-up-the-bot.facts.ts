import { readFileSync } from 'node:fs';
import { inviteLinkOf, neededPermissions } from '@latchkey/core/facts';
import { type DiscordPermission, discordPermissions } from '@latchkey/core/ports';
import { chatPlatforms, platformAbilities, platformNames } from '@latchkey/kernel';
import { code, type Facts, table } from './fact.ts';

const reasons: Readonly<Partial<Record<DiscordPermission, string>>> = {
  ManageRoles: 'Granting and removing roles. Nothing works without it.',
  BanMembers: 'Requested because API clients expect it. The bot never bans members on Discord.',
  ManageChannels: 'Requested because API clients expect it. The bot never changes channels.',
  ViewChannel: 'Seeing the channels where it is used.',
  SendMessages: 'Messages sent through the API.',
  EmbedLinks: 'Showing links and cards in those messages.',
};

function spaced(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

function bitOf(permission: bigint): string {
  return String(permission.toString(2).length - 1);
}

/** The default plans of a new server are declared where they are inserted. */
function checkPeriods(): string[][] {
  const row = /\('(\w+)', 'community', '([^']+)', \d+, '\w+',\s*'[^']*',\s*'[^']*', (\d+),/g;
  const text = readFileSync(new URL('../../../packages/db/migrations/0002-services.sql', import.meta.url), 'utf8');
  return [...text.matchAll(row)].map(([, id = '', name = '', seconds]) => [
    `${name} (${code(id)})`,
    `every ${Number(seconds) / 3600} hours`,
  ]);
}

export default {
  'setup/permissions': () =>
    table(
      ['Permission', 'Bit', 'What it is for'],
      neededPermissions.map((name) => [spaced(name), bitOf(discordPermissions[name]), reasons[name] ?? '']),
    ),
  'setup/invite-link': () => {
    const link = new URL(inviteLinkOf('YOUR_ID', '') ?? '');
    link.searchParams.delete('guild_id');
    return code(link.href);
  },
  'setup/platforms': () =>
    table(
      ['Ability', ...platformNames.map((name) => chatPlatforms[name].title)],
      Object.entries(platformAbilities).map(([ability, words]) => [
        words,
        ...platformNames.map((name) => (chatPlatforms[name].can.some((one) => one === ability) ? 'yes' : 'no')),
      ]),
    ),
  'setup/check-periods': () => table(['Plan', 'Scheduled re-check of all members'], checkPeriods()),
} satisfies Facts;
