import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { selectRules } from '../../communities/rule-records/index.ts';
import { assetsOf, type OpenRules, openRules, requirementInWords } from '../evaluation/index.ts';
import { findTokenFacts } from '../evm/index.ts';
import { plainName, tokenInWords } from '../naming/index.ts';
import {
  type Answer,
  exampleInWords,
  type Names,
  proveRequired,
  shareEffort,
  whyUnproven,
} from '../rule-analysis/index.ts';
import { assetLeavesOf, readSavedRule } from '../rules/index.ts';
import { type AssertionRow, selectAssertions } from './queries.ts';

type Assertion = Omit<AssertionRow, 'community_id' | 'position'>;

/** All assertions of a community together: a save waits for them, while it holds the lock of the community. */
const mostSteps = 2_000_000;

/** Whether each assertion is true of a rule set: proven, or disproven by an example. */
export async function checkAssertions(
  set: OpenRules,
  rows: readonly Assertion[],
): Promise<{ row: Assertion; answer: Answer }[]> {
  // Each has its share, so that a large one leaves the others provable; what it does not need goes to those after it.
  const share = shareEffort(mostSteps, (stepsLeft) => stepsLeft / (rows.length - checked.length));
  const checked: { row: Assertion; answer: Answer }[] = [];
  for (const row of rows) {
    const { role_id: roleId, unless_role_id: required, unless_holds: holds } = row;
    const requirement = required === null ? { condition: readSavedRule(holds ?? {}).condition } : { roleId: required };
    const answer = await share((effort) => proveRequired(set, roleId, requirement, { effort }));
    checked.push({ row, answer });
  }
  return checked;
}

/**
 * Refuses rules that break an assertion of their community, with an example. Call it after the last change of a
 * transaction that holds the community lock, so that no two changes break together what each keeps. What cannot be
 * proven is refused as well: an assertion is a promise, not a guess.
 */
export async function refuseBroken(tx: Tx, communityId: string): Promise<void> {
  const rows = await selectAssertions(tx, communityId);
  if (rows.length === 0) return;
  const set = openRules(await selectRules(tx, communityId));
  const broken = (await checkAssertions(set, rows)).filter(({ answer }) => answer.kind !== 'proven');
  if (broken.length === 0) return;
  const assets = [...assetsOf(set), ...rows.flatMap(assetsIn)];
  const factsOf = await findTokenFacts(
    tx,
    assets.map(({ chain, reference }) => ({ chain, contract: reference })),
  );
  const names: Names = {
    role: (id) => `role ${plainName(id)}`,
    rule: (id) => plainName(id),
    token: (asset) => tokenInWords(asset, (place) => factsOf(place)?.symbol ?? factsOf(place)?.name),
  };
  const messages = broken.map(({ row, answer }) => assertionInWords(row, answer, names));
  throw new AppError('VALIDATION_FAILED', `These rules cannot be saved. ${messages[0] ?? ''}`, {
    details: messages.map((message) => ({ path: '', code: 'assertion', message })),
  });
}

/** What is known about an assertion, in one sentence. */
export function assertionInWords(row: Assertion, answer: Answer, names: Names): string {
  const name = row.name === null ? 'The assertion' : `“${plainName(row.name)}”`;
  const needed = row.unless_role_id === null ? 'what it requires' : names.role(row.unless_role_id);
  const gets = `get ${names.role(row.role_id)} without ${needed}`;
  switch (answer.kind) {
    case 'proven':
      return `${name} holds: no member can ${gets}.`;
    case 'disproven':
      return `${name} does not hold: members can ${gets}, for example one ${exampleInWords(answer.example, names)}.`;
    case 'unproven':
      return `${name} could not be proven: whether members can ${gets} is unknown, because ${whyUnproven(answer)}. Simplify the rules of the role, or remove the assertion.`;
  }
}

/** What an assertion promises, in one sentence. */
export function assertionSentence(
  { role_id: roleId, unless_role_id: required, unless_holds: holds }: Assertion,
  names: Pick<Names, 'role' | 'token'>,
): string {
  const needed = required === null ? { condition: readSavedRule(holds ?? {}).condition } : { roleId: required };
  return requirementInWords(roleId, needed, names);
}

/** The assets that an assertion names. */
export function assetsIn({ unless_holds: holds }: Pick<Assertion, 'unless_holds'>): ReturnType<typeof assetsOf> {
  return holds === null ? [] : assetLeavesOf(readSavedRule(holds)).map(({ asset }) => asset);
}
