import { choice, OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

/** More than anyone reads of one kind; truncation is reported. */
export const mostRows = 10_000;

export const PersonalData = record('PersonalData', 'Everything that is kept about one account.', {
  account: text('The id of the account.'),
  exportedTime: text('When this was read, in ISO 8601.'),
  data: T.Unsafe<Record<string, unknown>>({
    ...OpenObject,
    description: 'The records by table, each with all of its fields except secrets.',
  }),
  shortened: T.Array(text('A place.'), {
    description: `Tables with more than ${mostRows} records; only that many are included.`,
    maxItems: 1000,
  }),
});
export type PersonalData = ValueOf<typeof PersonalData>;

export const ErasedAccount = record('ErasedAccount', 'The result of erasing an account.', {
  state: choice(
    'erased: nothing is left. waiting: what the person gave is gone; the rest follows once their roles are removed.',
    ['erased', 'waiting'] as const,
  ),
  reason: T.Optional(text('What it is waiting for.')),
});
export type ErasedAccount = ValueOf<typeof ErasedAccount>;
