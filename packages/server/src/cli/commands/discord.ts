import { type Context, countOnPlatform } from '@latchkey/core';
import { type DiscordIntent, discordIntents } from '@latchkey/core/ports';
import { type Command, unknownSubcommand } from '../command.ts';
import { print } from '../print.ts';

export const discord: Command = {
  usage: 'discord intents',
  meaning: 'print the texts for Discord’s review of privileged intents, from what this installation uses',
  words: 1,
  options: {},
  run: async (ctx, [verb]) => {
    if (verb !== 'intents') throw unknownSubcommand(verb);
    print(await describeIntents(ctx));
  },
};

/** Discord counts the unique users of all servers with the bot. More of them need its review, and again every year. */
const reviewedAbove = 10_000;

const portal = 'https://discord.com/developers/applications';

/** What the operator does, and when, as Discord’s guide to the review has it since June 2026. */
function describeReview(members: number, clientId: string | undefined, privileged: readonly DiscordIntent[]): string[] {
  const titles = privileged.map(({ title }) => title).join(', ');
  const number = new Intl.NumberFormat('en-GB');
  const where = `${portal}/${clientId ?? 'select'}/bot`;
  const count = `This installation knows ${number.format(members)} ${members === 1 ? 'member' : 'members'} in its Discord servers; Discord counts a person in several of them once.`;
  const state =
    members > reviewedAbove
      ? `That is more than ${number.format(reviewedAbove)}: the bot needs Discord’s review.`
      : `Up to ${number.format(reviewedAbove)} need no review: turn on ${titles} at ${where}, under Privileged Gateway Intents.`;
  return [
    '# When and where to apply (not part of the form)',
    `${count} ${state} Discord’s own count decides.`,
    `First time: Discord shows a notice in the developer portal when the bot passes ${number.format(reviewedAbove)} users. Apply within 90 days of it, at ${where}. The bot keeps the intents and can join servers while Discord reviews it.`,
    'Every year: Discord shows a notice again. Run this command again then, and apply in the same place within 90 days, with the new texts. Without a notice there is nothing to do.',
    `After 90 days without an application, Discord turns off ${titles}: roles are then no longer checked when people join or change, and workers log close code 4014. You can still apply then.`,
    'Add what only you know: the address of your privacy policy, and screenshots of a rule and of a member’s roles.',
  ];
}

/** The answers to Discord's form, and when and where to send them. */
async function describeIntents(ctx: Pick<Context, 'db' | 'settings'>): Promise<string> {
  const { baseUrl, discordClientId, serviceName } = ctx.settings;
  const { communities: servers, members } = await countOnPlatform(ctx.db.system, 'discord');
  const all: readonly DiscordIntent[] = Object.values(discordIntents);
  const privileged = all.filter(({ isPrivileged }) => isPrivileged);
  const number = new Intl.NumberFormat('en-GB');
  return [
    ...describeReview(members, discordClientId, privileged),
    '',
    '# What does your application do?',
    `${serviceName} (${baseUrl}) gives and removes roles in Discord servers according to rules that the admins of each server set, such as owning a token. Members link a wallet and see in the console which roles they have, and why.`,
    `It serves ${number.format(servers)} Discord ${servers === 1 ? 'server' : 'servers'} with ${number.format(members)} ${members === 1 ? 'member' : 'members'}.`,
    '',
    '# Which privileged intents do you need, and why?',
    ...privileged.map(({ title, use }) => `${title}: ${use}`),
    'Presence Intent: not requested.',
    'Message Content Intent: not requested.',
    '',
    '# What do you store, and for how long?',
    ...all.map(({ title, stored }) => `${title}: ${stored}`),
    'It is stored in a PostgreSQL database of this installation, and shown to the admins of the server that it is about. Mini-apps receive the ids and the roles of a server’s members if an admin installs them there. No one else receives it. Memberships and names are deleted when the person erases their account, and with the community. Invites and integrations that are gone are deleted after 90 days.',
    '',
    '# How do users have their data deleted?',
    `In the console, under My account: ${new URL('/console/me', baseUrl).href}. They can also ask the operator, who erases the account with "latchkey account erase". The erasure is complete once the roles that depend on the account are removed.`,
    '',
    '# Other intents, which Discord does not review',
    ...all.filter(({ isPrivileged }) => !isPrivileged).map(({ title, use }) => `${title}: ${use}`),
  ].join('\n');
}
