import type { Recipe } from './recipe.ts';

const folder = 'packages/core/src/surfaces/discord-interactions';

export const botCommand: Recipe = {
  title: 'add a bot command',
  atMost: 4,
  checks: [`${folder}/thank.test.ts`],
  apply: (tree) => {
    tree.insertBefore(
      `${folder}/commands.ts`,
      "  guest: command('For admins:",
      "  about: command('For admins: show the address of this server'),\n",
    );
    tree.insertBefore(
      `${folder}/handle-interaction.ts`,
      '  guest: async (ctx, community, { options }) => {\n',
      '  about: async (ctx) => say(ctx.settings.baseUrl),\n',
    );
    tree.insertBefore(
      'docs/discord.md',
      '| `/latchkey changes` | admins |',
      '| `/latchkey about` | admins | shows the address of this server |\n',
    );
    tree.insertBefore(
      `${folder}/thank.test.ts`,
      "  test('is a command that Discord accepts, with a choice of kinds'",
      `  test('is listed beside a new command', () => {
    assert.match(JSON.stringify(discordCommands), /"name":"about"/);
  });

`,
    );
  },
};
