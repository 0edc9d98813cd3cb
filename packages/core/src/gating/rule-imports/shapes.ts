import { choice, OpenObject, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { ruleVisibilities } from '../../communities/rule-records/index.ts';
import { importSources } from './found-rule.ts';
import type { Roles } from './match-role.ts';
import { type EntryRow, entryStates, type ImportRow } from './queries.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });

const source = choice(
  'Where the rules come from. vulcan, matrica and sheet take the table described in the manual.',
  importSources,
);

export const NewRuleImport = record('NewRuleImport', 'Rules from another service to read.', {
  source,
  content: T.Optional(text('The export: JSON, or CSV with a heading line for tables.', { maxLength: 900_000 })),
  original: T.Optional(
    T.Object(
      {
        baseUrl: text('The address of the API to read from.', { minLength: 1, maxLength: 500 }),
        apiKey: text('An API key there. It is used for this request and not stored.', {
          minLength: 1,
          maxLength: 1000,
        }),
        communityId: text('The id of the community there, for example DIS#COMM#123.', {
          minLength: 1,
          maxLength: 128,
        }),
      },
      { description: 'Reads the rules from the API instead of content. Only for source original.' },
    ),
  ),
  roles: T.Optional(
    T.Array(
      T.Object({
        from: text('The id or name of a role there.', { minLength: 1, maxLength: 200 }),
        roleId: text('The id of the role here.', { minLength: 1, maxLength: 100 }),
      }),
      { description: 'Which role here takes the place of a role there.', maxItems: 1000 },
    ),
  ),
});

export const RuleImportEntry = record('RuleImportEntry', 'A rule from another service, and its equivalent here.', {
  position: count('The position of the entry within the import.'),
  name: text('What the rule is called there.'),
  state: choice(
    'ready: can be turned on. unmapped: has no equivalent. present: the community already has it. imported: it became a rule. refused: it could not become a rule.',
    entryStates,
  ),
  problem: T.Optional(text('Why it cannot be turned on.', { maxLength: 100_000 })),
  notes: texts('What to check before turning it on.', { maxLength: 1000 }),
  roleThere: T.Optional(text('What its role is called there, if no role here matches it. Choose one with roles.')),
  roleId: T.Optional(text('The role here that it gives.')),
  roleName: T.Optional(text('The role’s name; absent if the platform does not provide it.')),
  visibility: choice('How much members are shown of it.', ruleVisibilities),
  sentence: T.Optional(text('The rule in a sentence; absent where it has no equivalent.', { maxLength: 100_000 })),
  rule: T.Optional(T.Unsafe<Record<string, unknown>>({ ...OpenObject, description: 'The rule as it would be saved.' })),
  ruleId: T.Optional(text('The rule that it became, or is already.')),
});

const ImportComparison = record(
  'RuleImportComparison',
  'Whether the rules here give the imported roles to the same members as the imported rules do: a proof or an example.',
  {
    direction: choice(
      'How the rules here compare, once the entries that are ready are turned on. equal: both give the roles to the same members. more, less: here more or fewer members get them. incomparable: other members. unproven: it could not be found out.',
      ['equal', 'more', 'less', 'incomparable', 'unproven'] as const,
    ),
    sentence: text('The same in a sentence, with an example.', { maxLength: 100_000 }),
  },
);
export type ImportComparison = ValueOf<typeof ImportComparison>;

export const RuleImport = record('RuleImport', 'Rules read from another service. Nothing is turned on yet.', {
  id: text('The id of the import.'),
  source,
  createdTime: text('When they were read, in ISO 8601.'),
  ready: count('How many can be turned on.'),
  unmapped: count('How many have no equivalent.'),
  present: count('How many the community already has.'),
  imported: count('How many became rules.'),
  refused: count('How many could not become rules.'),
  comparison: T.Optional(ImportComparison),
  entries: T.Array(RuleImportEntry, {
    description: 'The rules, in the order of the export. Empty in lists.',
    maxItems: 1000,
  }),
});
export type RuleImport = ValueOf<typeof RuleImport>;

export function toImport(
  row: ImportRow,
  entries: readonly EntryRow[],
  roles?: Roles,
  sentenceOf?: (entry: EntryRow) => string | undefined,
): RuleImport {
  const of = (state: EntryRow['state']) => entries.filter((entry) => entry.state === state).length;
  return {
    id: row.id,
    source: row.source,
    createdTime: row.created_at.toISOString(),
    ready: of('ready'),
    unmapped: of('unmapped'),
    present: of('present'),
    imported: of('imported'),
    refused: of('refused'),
    entries: entries.map((entry) => ({
      position: entry.position,
      name: entry.name,
      state: entry.state,
      problem: entry.problem ?? undefined,
      notes: entry.notes,
      roleThere: entry.role_there ?? undefined,
      roleId: entry.role_id ?? undefined,
      roleName: entry.role_id === null ? undefined : roles?.get(entry.role_id)?.name,
      visibility: entry.visibility,
      sentence: sentenceOf?.(entry),
      rule: entry.definition ?? undefined,
      ruleId: entry.rule_id ?? undefined,
    })),
  };
}
