import { readFileSync } from 'node:fs';
import { inviteLinkOf, neededPermissions } from '@latchkey/core/facts';
import { type DiscordPermission, discordPermissions } from '@latchkey/core/ports';
import { chatPlatforms, platformAbilities, platformNames } from '@latchkey/kernel';
import { code, type Facts, table } from './fact.ts';

const reasons: Readonly<Record<DiscordPermission, string>> = {
  ManageRoles: 'Giving and taking roles. Nothing works without it.',
  BanMembers: 'Asked for because clients of the API expect it. The bot bans nobody on Discord.',
  ManageChannels: 'Asked for because clients of the API expect it. The bot changes no channel.',
  ViewChannel: 'Seeing the channels in which it is used.',
  SendMessages: 'Messages that are sent by the API.',
  EmbedLinks: 'Showing links and cards in those messages.',
  Administrator: 'Never asked for.',
};

function spaced(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

function bitOf(permission: bigint): string {
  return String(permission.toString(2).length - 1);
}

/** The plans that a new server begins with are declared where they are inserted. */
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
      neededPermissions.map((name) => [spaced(name), bitOf(discordPermissions[name]), reasons[name]]),
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
  'setup/check-periods': () => table(['Plan', 'The schedule looks at everybody'], checkPeriods()),
} satisfies Facts;
