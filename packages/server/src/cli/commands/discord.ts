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

/** The answers to Discord's form. Discord reviews bots from 10,000 users, and again every year. */
async function describeIntents(ctx: Pick<Context, 'db' | 'settings'>): Promise<string> {
  const { baseUrl, serviceName } = ctx.settings;
  const { communities: servers, members } = await countOnPlatform(ctx.db.system, 'discord');
  const all: readonly DiscordIntent[] = Object.values(discordIntents);
  const privileged = all.filter(({ isPrivileged }) => isPrivileged);
  const number = new Intl.NumberFormat('en-GB');
  return [
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
