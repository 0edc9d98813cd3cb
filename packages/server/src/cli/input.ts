import { T, type TSchema, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import { UsageError } from './command.ts';

const short = (description: string) => text(description, { maxLength: 64 });
const words = (description: string) => text(description, { maxLength: 4096 });
const wholeNumber = (description: string) => text(description, { maxLength: 9 });
const path = (description: string) => text(description, { minLength: 1, maxLength: 4096 });

/** Every option of the command line. Each command names those that it takes. */
export const optionSchemas = {
  action: short('An action on record.'),
  addresses: words('IP addresses or networks, separated by spaces.'),
  'as-client': text('The id of a client application.', { maxLength: 128 }),
  at: short('A time.'),
  'client-type': short('confidential or public.'),
  community: text('The id of a community at another server.', { maxLength: 256 }),
  currency: short('Three letters.'),
  day: short('A day such as 2026-01-31.'),
  expires: short('After 90d or 12h, or a time.'),
  file: path('The path of a file.'),
  from: short('The service that rules come from.'),
  'key-file': path('The path of a file with an API key.'),
  limit: wholeNumber('How many.'),
  name: text('A name.', { maxLength: 256 }),
  notes: words('Notes for the record.'),
  period: short('monthly or yearly.'),
  platform: short('A chat platform.'),
  processes: short('A number, or auto.'),
  reason: words('The reason for the record.'),
  'redirect-uri': words('Redirect URIs, separated by spaces.'),
  scopes: words('Scopes, separated by spaces.'),
  since: short('A time.'),
  status: short('A status.'),
  'ttl-seconds': wholeNumber('A number of seconds.'),
  url: text('An address.', { maxLength: 2048 }),
  user: text('The id of a user.', { maxLength: 256 }),
} as const satisfies Readonly<Record<string, TSchema>>;

export type OptionName = keyof typeof optionSchemas;

/** What a command takes. */
export interface TakesInput {
  /** How many words may follow it. */
  words: number;
  options: readonly OptionName[];
}

const word = text('A word after the command.', { maxLength: 4096 });

/** What may follow a command, as one schema. */
export function inputSchemaOf({ words: most, options }: TakesInput) {
  const known = Object.fromEntries(options.map((name) => [name, T.Optional(optionSchemas[name])]));
  return T.Object({ words: T.Array(word, { maxItems: most }), options: T.Object(known) });
}

/** Refuses words and options that a command does not take, and those that are too long or malformed. */
export function checkInput(
  name: string,
  takes: TakesInput,
  given: { words: readonly string[]; options: Readonly<Record<string, string | undefined>> },
): void {
  const unknown = Object.keys(given.options).find((option) => !takes.options.includes(option as OptionName));
  if (unknown !== undefined) throw new UsageError(`${name} does not take --${unknown}. ${seeHelp}`);
  if (given.words.length > takes.words)
    throw new UsageError(`${name} takes at most ${takes.words} words after it. ${seeHelp}`);
  try {
    validatorOf(inputSchemaOf(takes), { what: name, unknownFields: 'refuse' })(given);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export const seeHelp = 'Try: npm run latchkey -- help';
