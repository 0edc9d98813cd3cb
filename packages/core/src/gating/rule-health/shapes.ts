import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';
import { healthStates } from './problems.ts';
import { notChecked, type RuleHealthRow } from './queries.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });
const time = (description: string) => T.Optional(text(`${description}, in ISO 8601.`));

export const RuleHealth = record('RuleHealth', 'Whether a rule can be decided on this server.', {
  state: choice(
    'ok: it can be decided. degraded: something does not respond now, and members keep their roles. undecidable: it can never be decided with these settings. unknown: not checked yet, or could not be checked.',
    healthStates,
  ),
  problems: T.Array(
    record('RuleProblem', 'Something that keeps a rule from being decided.', {
      code: text('What kind of problem it is, for programs.'),
      message: text('What is wrong.', { maxLength: 4096 }),
      action: T.Optional(text('The setting or the action that would change it.', { maxLength: 4096 })),
    }),
    { description: 'Empty when the rule is ok.', maxItems: 10 },
  ),
  sinceTime: time('Since when it is in this state'),
  checkedTime: time('When it was last checked'),
  evaluatedTime: time('When it was last decided without anything missing'),
  blocks: T.Array(
    record('RuleBlock', 'A block that was read.', {
      chain: text('The chain, for example evm:1.'),
      number: text('The number of the block.'),
    }),
    { description: 'The blocks that were read then.', maxItems: 200 },
  ),
  reads: count('How many reads a check of one member takes at most, with one wallet on each chain.'),
  qualifying: T.Optional(
    count('How many members meet this rule. Absent while not counted, and for rules about roles.'),
  ),
  unknownMembers: T.Optional(count('How many members could not be evaluated. They keep their roles.')),
  unknownSinceTime: time('Since when there are such members'),
  countedMembers: T.Optional(count('How many members were counted.')),
  isCountWhole: T.Optional(
    T.Boolean({ description: 'Whether every member was counted; of very large communities only 10,000 are.' }),
  ),
  countedTime: time('When they were counted'),
});
export type RuleHealth = ValueOf<typeof RuleHealth>;

/** Converts a rule's health for the API; a rule without an entry is reported as not checked yet. */
export function toRuleHealth(row: RuleHealthRow | undefined): RuleHealth {
  if (row === undefined) return { state: 'unknown', problems: [notChecked], blocks: [], reads: 0 };
  const { state, problems, reads, blocks, qualifying, unknown_members, counted_members, is_count_whole } = row;
  return {
    state,
    problems: problems.map(({ code, message, action }) => ({ code, message, action })),
    sinceTime: row.since.toISOString(),
    checkedTime: row.checked_at?.toISOString(),
    evaluatedTime: row.evaluated_at?.toISOString(),
    blocks: Object.entries(blocks).map(([chain, number]) => ({ chain, number })),
    reads,
    qualifying: qualifying ?? undefined,
    unknownMembers: unknown_members ?? undefined,
    unknownSinceTime: row.unknown_since?.toISOString(),
    countedMembers: counted_members ?? undefined,
    isCountWhole: is_count_whole ?? undefined,
    countedTime: row.counted_at?.toISOString(),
  };
}
