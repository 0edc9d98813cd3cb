import { choice, T, type TSchema, text } from '@latchkey/kernel';
import { offeredKinds } from '../../billing/kudos/index.ts';
import { changeCount, changeSetId } from '../bot-replies/index.ts';

const [subcommand, textOption, userOption] = [1, 3, 6];

/** An input of a bot command. Discord gets the same limits that are applied when the input arrives. */
export interface CommandInput {
  description: string;
  input: TSchema & { properties: Record<string, TSchema>; required?: readonly string[] };
}

function command(description: string, options: Record<string, TSchema> = {}): CommandInput {
  return { description, input: T.Object(options) as unknown as CommandInput['input'] };
}

function member(description: string): TSchema {
  return text(description, { maxLength: 20, pattern: '^\\d+$', 'x-option': userOption });
}

/** The commands below `/latchkey`. */
export const commandInputs: Readonly<Record<string, CommandInput>> = {
  join: command('Connect a wallet'),
  roles: command('Show which roles you have and could have, and why'),
  check: command('Check your wallets again and update your roles'),
  kudos: command('Thank another member, with a credential that they can show anywhere', {
    user: member('Who to thank'),
    type: choice('What for', offeredKinds),
    text: text('In your own words', { maxLength: 200 }),
  }),
  apps: command('Show apps with access to your account, and revoke access'),
  setup: command('For admins: post the join button in this channel'),
  health: command('For admins: show the rules, and which of them cannot be decided'),
  changes: command('For admins: show recent role changes'),
  show: command('For admins: show who gains and loses roles, and why', { id: changeSetId }),
  approve: command('For admins: approve role changes', { id: changeSetId }),
  reject: command('For admins: reject role changes', { id: changeSetId }),
  undo: command('For admins: undo role changes', { id: changeSetId }),
  why: command('For admins: show why a member has or lacks each role', { user: member('The member') }),
  guest: command('For admins: give someone a guest pass', {
    user: member('The guest'),
    pass: text('The name or id of the pass', { maxLength: 200 }),
  }),
};

const aboutChangeSet = { id: changeSetId, count: T.Optional(changeCount) };
const permission = { secret: text('The secret of the question', { maxLength: 64 }) };

/** The bot's buttons. Their custom id is `latchkey`, the word, and the fields in this order, separated by colons. */
export const buttonInputs: Readonly<Record<string, CommandInput>> = {
  join: command('Connect a wallet'),
  changes: command('Show recent role changes'),
  show: command('Show role changes', aboutChangeSet),
  approve: command('Approve role changes', aboutChangeSet),
  approve_grants: command('Approve only the grants', aboutChangeSet),
  reject: command('Reject role changes', aboutChangeSet),
  reject_restore: command('Reject role changes and restore the rule', aboutChangeSet),
  undo: command('Undo role changes', aboutChangeSet),
  undo_roles: command('Undo role changes and keep the rule', aboutChangeSet),
  forbid: command('Revoke an app’s access', { app: text('The id of the app', { maxLength: 64 }) }),
  permit: command('Let a mini-app act for you', permission),
  refuse: command('Do not let a mini-app act for you', permission),
};

/** The commands as registered with Discord. */
export const discordCommands: readonly Record<string, unknown>[] = [
  {
    name: 'latchkey',
    description: 'Roles by what your wallet holds',
    contexts: [0],
    options: Object.entries(commandInputs).map(([name, { description, input }]) => {
      const options = Object.entries(input.properties).map(([option, schema]) => describeOption(option, schema));
      return { type: subcommand, name, description, ...(options.length > 0 && { options }) };
    }),
  },
];

function describeOption(name: string, schema: TSchema): Record<string, unknown> {
  const {
    description,
    maxLength,
    enum: words,
    'x-option': type = textOption,
  } = schema as { description?: string; maxLength?: number; enum?: readonly string[]; 'x-option'?: number };
  const option = { type, name, description, required: true };
  if (words !== undefined) return { ...option, choices: words.map((word) => ({ name: word, value: word })) };
  return type === textOption ? { ...option, max_length: maxLength } : option;
}
