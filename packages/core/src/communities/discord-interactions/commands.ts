import { offeredKinds } from '../../money/kudos/index.ts';

const [subcommand, text, user] = [1, 3, 6];

function forPlan(name: string, description: string) {
  const option = { type: text, name: 'plan', description: 'The id of the plan', required: true, max_length: 64 };
  return { type: subcommand, name, description, options: [option] };
}

/** The commands that people find in Discord, as it wants them described. */
export const discordCommands: readonly Record<string, unknown>[] = [
  {
    name: 'latchkey',
    description: 'Roles by what your wallet holds',
    contexts: [0],
    options: [
      { type: subcommand, name: 'join', description: 'Connect a wallet' },
      { type: subcommand, name: 'roles', description: 'Show which roles you have and could have, and why' },
      { type: subcommand, name: 'check', description: 'Check your wallets again and update your roles' },
      {
        type: subcommand,
        name: 'kudos',
        description: 'Thank another member, with a credential that they can show anywhere',
        options: [
          { type: user, name: 'user', description: 'Whom to thank', required: true },
          {
            type: text,
            name: 'type',
            description: 'What for',
            required: true,
            choices: offeredKinds.map((kind) => ({ name: kind, value: kind })),
          },
          { type: text, name: 'text', description: 'In your own words', required: true, max_length: 200 },
        ],
      },
      { type: subcommand, name: 'apps', description: 'Show which applications may act for you, and take it back' },
      { type: subcommand, name: 'setup', description: 'For admins: put the join button into this channel' },
      { type: subcommand, name: 'plans', description: 'For admins: show recent role changes' },
      forPlan('show', 'For admins: show what a plan changes, for whom and why'),
      forPlan('approve', 'For admins: approve a held plan'),
      forPlan('reject', 'For admins: reject a held plan'),
      forPlan('undo', 'For admins: undo a plan'),
      {
        type: subcommand,
        name: 'why',
        description: 'For admins: show why a member has or lacks each role',
        options: [{ type: user, name: 'user', description: 'The member', required: true }],
      },
      {
        type: subcommand,
        name: 'guest',
        description: 'For admins: give a guest pass to somebody',
        options: [
          { type: user, name: 'user', description: 'The guest', required: true },
          { type: text, name: 'pass', description: 'The name or id of the pass', required: true, max_length: 200 },
        ],
      },
    ],
  },
];
