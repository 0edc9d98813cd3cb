import { choice, OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

/** More of one kind than anyone reads; a cut is reported. */
export const mostRows = 10_000;

export const PersonalData = record('PersonalData', 'Everything that is kept about one account.', {
  account: text('The id of the account.'),
  exportedTime: text('When this was read, in ISO 8601.'),
  data: T.Unsafe<Record<string, unknown>>({
    ...OpenObject,
    description: 'The records by where they are kept, each with all of its fields but secrets.',
  }),
  shortened: T.Array(text('A place.'), {
    description: `Places with more than ${mostRows} records, of which only that many are here.`,
    maxItems: 1000,
  }),
});
export type PersonalData = ValueOf<typeof PersonalData>;

export const ErasedAccount = record('ErasedAccount', 'What became of an account.', {
  state: choice(
    'erased: nothing is left. waiting: what the person gave is gone; the rest follows once their roles are removed.',
    ['erased', 'waiting'] as const,
  ),
  reason: T.Optional(text('What is waited for.')),
});
export type ErasedAccount = ValueOf<typeof ErasedAccount>;
