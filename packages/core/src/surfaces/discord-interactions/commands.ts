import { choice, T, type TSchema, text } from '@latchkey/kernel';
import { type Locale, locales } from '@latchkey/kernel/messages';
import { offeredKinds } from '../../billing/kudos/index.ts';
import { messagesIn, type ServerMessageId } from '../../shared/messages/index.ts';
import { changeCount, changeSetId } from '../bot-replies/index.ts';

const [subcommand, textOption] = [1, 3];
/** An option for which Discord shows a list of members. */
export const userOption = 6;

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

/** The installation of an app to a user’s account. */
const userInstall = 1;

const english = messagesIn('en');

const ownCommands = {
  join: command(english('command.join')),
  roles: command(english('command.roles')),
  check: command(english('command.check')),
  kudos: command(english('command.kudos'), {
    user: member(english('command.kudos.user')),
    type: choice(english('command.kudos.type'), offeredKinds),
    text: text(english('command.kudos.text'), { maxLength: 200 }),
  }),
  apps: command(english('command.apps')),
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
} as const satisfies Readonly<Record<string, CommandInput>>;

/** The commands below `/latchkey`. */
export const commandInputs: Readonly<Record<string, CommandInput>> = ownCommands;

const { kudos, guest, why } = ownCommands;

/**
 * The bot's forms, by the last part of their custom id. The commands among them open their form when an option is
 * missing.
 */
export const formInputs = {
  kudos,
  guest,
  why,
  find_rule: command('Find a rule', {
    words: text('Part of the name of the rule or role', { minLength: 1, maxLength: 100 }),
  }),
} as const satisfies Readonly<Record<string, CommandInput>>;

export type FormName = keyof typeof formInputs;

export function isFormName(word: string): word is FormName {
  return Object.hasOwn(formInputs, word);
}

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
  find_rule: command('Find a rule'),
  forbid: command('Revoke an app’s access', { app: text('The id of the app', { maxLength: 64 }) }),
  permit: command('Let a mini-app act for you', permission),
  refuse: command('Do not let a mini-app act for you', permission),
};

/** The commands for members, which Discord shows in their language. Those for admins are in English. */
const memberCommands = ['join', 'roles', 'check', 'kudos', 'apps'] as const;

function isMemberCommand(name: string): name is (typeof memberCommands)[number] {
  return memberCommands.some((command) => command === name);
}

function isKudosOption(option: string): option is 'user' | 'type' | 'text' {
  return Object.hasOwn(kudos.input.properties, option);
}

/** Discord's names of our languages, but for English, which is the default. Arabic is not among its languages. */
const discordLocales: Readonly<Partial<Record<Locale, readonly string[]>>> = {
  es: ['es-ES', 'es-419'],
  'pt-BR': ['pt-BR'],
  fr: ['fr'],
  de: ['de'],
  tr: ['tr'],
  vi: ['vi'],
  'zh-CN': ['zh-CN'],
  ja: ['ja'],
  ko: ['ko'],
};

/** A field of a command in English, and in every other language of Discord that we speak. */
function inLanguages(field: 'name' | 'description', id: Extract<ServerMessageId, `command.${string}`>) {
  const translations = locales.flatMap((locale) =>
    (discordLocales[locale] ?? []).map((tag): [string, string] => [tag, messagesIn(locale)(id)]),
  );
  return { [field]: messagesIn('en')(id), [`${field}_localizations`]: Object.fromEntries(translations) };
}

/** The commands as registered with Discord. */
export const discordCommands: readonly Record<string, unknown>[] = [
  {
    name: 'latchkey',
    ...inLanguages('description', 'command.latchkey'),
    contexts: [0],
    options: Object.entries(commandInputs).map(([name, { description, input }]) => {
      const options = Object.entries(input.properties).map(([option, schema]) => ({
        ...describeOption(option, schema),
        ...(name === 'kudos' && isKudosOption(option) && inLanguages('description', `command.kudos.${option}`)),
        required: !isFormName(name),
      }));
      const words = isMemberCommand(name)
        ? { ...inLanguages('name', `command.${name}.name`), ...inLanguages('description', `command.${name}`) }
        : { name, description };
      return { type: subcommand, ...words, ...(options.length > 0 && { options }) };
    }),
  },
];

/**
 * What people who add the app to their own account can use in any server and in private conversations. It is only
 * registered where the operator allows that in the developer portal: Discord refuses it otherwise.
 */
export const personalCommands: readonly Record<string, unknown>[] = [
  {
    name: 'my-roles',
    ...inLanguages('description', 'command.roles'),
    integration_types: [userInstall],
    contexts: [0, 1, 2],
  },
];

function describeOption(name: string, schema: TSchema): Record<string, unknown> {
  const {
    description,
    maxLength,
    enum: words,
    'x-option': type = textOption,
  } = schema as { description?: string; maxLength?: number; enum?: readonly string[]; 'x-option'?: number };
  const option = { type, name, description };
  if (words !== undefined) return { ...option, choices: words.map((word) => ({ name: word, value: word })) };
  return type === textOption ? { ...option, max_length: maxLength } : option;
}
