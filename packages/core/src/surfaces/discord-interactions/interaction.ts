import { T, type TSchema, text } from '@latchkey/kernel';
import { findLocale, type Locale } from '@latchkey/kernel/messages';
import { validatorOf } from '@latchkey/kernel/validate';
import { buttonInputs, type CommandInput, commandInputs, type FormName, formInputs, isFormName } from './commands.ts';

/** The parts of an interaction that the bot uses. */
export interface Interaction {
  id: string;
  applicationId: string;
  token: string;
  kind: 'ping' | 'command' | 'button' | 'autocomplete' | 'form';
  guildId: string | undefined;
  /** Whether it is a command of one server alone: those are of mini-apps, whatever their names. */
  isOfServer: boolean;
  userId: string;
  userName: string | undefined;
  /** The language of the member, and that of the server for what every member sees. */
  locale: Locale | undefined;
  guildLocale: Locale | undefined;
  /** The words of a command (`latchkey`, `roles`), or the parts of a button's custom id. */
  words: readonly string[];
  /** The full name of the command, or the full custom id of the button or form. */
  name: string;
  /** The options that were entered; users are given by id. */
  options: Readonly<Record<string, string>>;
}

const kinds: Readonly<Record<number, Interaction['kind']>> = {
  1: 'ping',
  2: 'command',
  3: 'button',
  4: 'autocomplete',
  5: 'form',
};
const [subcommand, subcommandGroup] = [1, 2];
/** The limits that Discord documents. */
const [mostOptions, mostComponents] = [25, 40];

const maybe = <S extends TSchema>(schema: S) => T.Optional(T.Union([schema, T.Null()]));
const snowflake = text('An id of Discord.', { minLength: 1, maxLength: 20, pattern: '^\\d+$' });
const User = T.Object({ id: snowflake, username: maybe(text('Their name.', { maxLength: 128 })) });

/**
 * The fields of an interaction that are used. Discord may add fields at any time, and mini-apps get all of them, so
 * unknown fields are allowed; `interactionsRoute.maxBodyBytes` limits the total size.
 */
export const InteractionBody = T.Object({
  type: T.Integer({ minimum: 1, maximum: 255 }),
  id: snowflake,
  application_id: snowflake,
  token: text('Lets the bot answer.', { minLength: 1, maxLength: 1024 }),
  guild_id: maybe(snowflake),
  member: maybe(T.Object({ user: User })),
  user: maybe(User),
  locale: maybe(text('The language of the user.', { maxLength: 35 })),
  guild_locale: maybe(text('The language of the guild.', { maxLength: 35 })),
  data: maybe(
    T.Object({
      name: T.Optional(text('The name of a command.', { maxLength: 32 })),
      guild_id: maybe(snowflake),
      custom_id: T.Optional(text('The name of a button or form.', { maxLength: 100 })),
      options: T.Optional(T.Array(T.Object({ name: text('Its name.', { maxLength: 32 }) }), { maxItems: mostOptions })),
      components: T.Optional(T.Array(T.Unknown(), { description: 'The fields of a form.', maxItems: mostComponents })),
    }),
  ),
});

const readBody = validatorOf(InteractionBody, { what: 'The interaction', unknownFields: 'ignore' });

/** Parses an interaction; undefined for kinds that are not handled. Throws VALIDATION_FAILED if it is malformed. */
export function readInteraction(body: unknown): Interaction | undefined {
  const { type, id, application_id: applicationId, token, guild_id, member, user, data, ...languages } = readBody(body);
  const kind = kinds[type];
  const person = member?.user ?? user ?? undefined;
  if (kind === undefined || (kind !== 'ping' && person === undefined)) return undefined;
  const customId = data?.custom_id ?? '';
  return {
    id,
    applicationId,
    token,
    kind,
    guildId: guild_id ?? undefined,
    isOfServer: typeof data?.guild_id === 'string',
    userId: person?.id ?? '',
    userName: person?.username ?? undefined,
    locale: findLocale(languages.locale ?? ''),
    guildLocale: findLocale(languages.guild_locale ?? ''),
    name: data?.name ?? customId,
    ...(kind === 'button' || kind === 'form'
      ? { words: customId.split(':'), options: kind === 'form' ? readFields(data?.components ?? []) : {} }
      : readCommand(data?.name ?? '', data?.options ?? [])),
  };
}

/** What was entered in a form: each label contains one field, with a text or with the values that were chosen. */
function readFields(labels: readonly unknown[]): Record<string, string> {
  return Object.fromEntries(
    labels.flatMap((label) => {
      const { custom_id: name, value, values } = Object(Object(label).component) as Record<string, unknown>;
      const entered = typeof value === 'string' ? value : Array.isArray(values) ? values[0] : undefined;
      return typeof name === 'string' && typeof entered === 'string' && entered !== '' ? [[name, entered]] : [];
    }),
  );
}

interface Option {
  name: string;
  type?: unknown;
  value?: unknown;
  options?: unknown;
}

function readCommand(name: string, options: readonly Option[]): Pick<Interaction, 'words' | 'options'> {
  const words = [name];
  let given = options;
  // A group contains one command, and a command its options: Discord nests no deeper.
  for (
    let depth = 0, [inner] = given;
    depth < 2 && inner !== undefined && isGroup(inner);
    depth += 1, [inner] = given
  ) {
    words.push(inner.name);
    given = optionsOf(inner);
  }
  return { words, options: Object.fromEntries(given.map(({ name, value }) => [name, String(value ?? '')])) };
}

function isGroup({ type }: Option): boolean {
  return type === subcommand || type === subcommandGroup;
}

function optionsOf({ options }: Option): Option[] {
  return Array.isArray(options) ? options.slice(0, mostOptions + 1).filter(isOption) : [];
}

function isOption(value: unknown): value is Option {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

/** A command, button or form of the bot itself, with valid input. */
export interface OwnCommand {
  word: string;
  input: Readonly<Record<string, string>>;
}

const inputsOf: Partial<Record<Interaction['kind'], Readonly<Record<string, CommandInput>>>> = {
  command: commandInputs,
  button: buttonInputs,
  form: formInputs,
};

const checks = new Map(
  Object.values(inputsOf)
    .flatMap((inputs) => Object.values(inputs))
    .map((one) => [one, validatorOf(one.input, { what: 'The command', unknownFields: 'refuse' })]),
);

/** The same for what is entered so far with a command that opens a form. */
const partialChecks = new Map(
  Object.values(formInputs).map((one: CommandInput) => [
    one,
    validatorOf({ ...one.input, required: [] }, { what: 'The command', unknownFields: 'refuse' }),
  ]),
);

/**
 * The form that a command or button of the bot opens: a command does where an option of it is missing. Throws
 * VALIDATION_FAILED for invalid input.
 */
export function findForm({ kind, words: [, word = '', ...parts], options }: Interaction): FormName | undefined {
  if (!isFormName(word)) return undefined;
  if (kind === 'button') return Object.hasOwn(buttonInputs, word) && parts.length === 0 ? word : undefined;
  if (kind !== 'command' || !Object.hasOwn(commandInputs, word)) return undefined;
  const form = formInputs[word];
  if (Object.keys(form.input.properties).every((name) => Object.hasOwn(options, name))) return undefined;
  partialChecks.get(form)?.(options);
  return word;
}

/** Undefined for a command, button or form that the bot does not have. Throws VALIDATION_FAILED for invalid input. */
export function readOwnCommand({ kind, words: [, word = '', ...parts], options }: Interaction): OwnCommand | undefined {
  const known = inputsOf[kind] ?? {};
  const declared = Object.hasOwn(known, word) ? known[word] : undefined;
  if (declared === undefined) return undefined;
  const input = kind === 'button' ? inputOfButton(declared, parts) : options;
  checks.get(declared)?.(input);
  return { word, input };
}

function inputOfButton({ input }: CommandInput, parts: readonly string[]): Record<string, string> {
  const names = Object.keys(input.properties);
  return Object.fromEntries(parts.map((part, index) => [names[index] ?? `part ${index + 1}`, part]));
}
