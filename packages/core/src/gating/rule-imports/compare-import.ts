import type { CommunityRuleRow } from '../../communities/rule-records/index.ts';
import { openRules } from '../evaluation/index.ts';
import {
  type Answer,
  compareRules,
  exampleInWords,
  type Names,
  shareEffort,
  whyUnproven,
} from '../rule-analysis/index.ts';
import type { EntryRow } from './queries.ts';

/** All roles of an import together: a second or so. */
const mostSteps = 2_000_000;
const stepsPerRole = 400_000;
const mostRoles = 20;

/**
 * What can be proven about the rules of the other bot beside those of this community, once the ready ones are turned on: that they give
 * the same roles to every wallet, or a member who gets a role from one of the two only. A rule that was not carried over, or only
 * with something to check, leaves its role out: nothing is known about what it did there.
 */
export async function compareImport(
  entries: readonly EntryRow[],
  saved: readonly CommunityRuleRow[],
  names: Names,
): Promise<string[]> {
  const isKnown = ({ definition, role_id, notes }: EntryRow) =>
    definition !== null && role_id !== null && notes.length === 0;
  const unknown = entries.filter((entry) => !isKnown(entry));
  const doubtful = new Set(unknown.flatMap(({ role_id }) => role_id ?? []));
  const known = entries.filter((entry) => isKnown(entry) && !doubtful.has(entry.role_id ?? ''));
  const there = known.map(toStored);
  const ready = entries.filter(
    ({ state, definition, role_id }) => state === 'ready' && definition !== null && role_id !== null,
  );
  const here = [...saved, ...ready.map(toStored)];
  const roleIds = [...new Set(there.map(({ role_id }) => role_id))];
  const share = shareEffort(mostSteps, () => stepsPerRole);
  const sentences: string[] = [];
  for (const roleId of roleIds.slice(0, mostRoles)) {
    const [found] = await share((effort) => compareRules(openRules(there), openRules(here), { roleId, effort }));
    if (found !== undefined) sentences.push(...differences(roleId, found, names));
  }
  if (roleIds.length > mostRoles) sentences.push(`Only the first ${mostRoles} roles were compared with the other bot.`);
  if (roleIds.length > 0 && sentences.length === 0)
    sentences.push(
      unknown.length === 0
        ? 'The imported rules are equivalent to the other bot’s: they give the same roles to every wallet.'
        : `For ${inWords(roleIds.map(names.role))}, the imported rules are equivalent to the other bot’s.`,
    );
  if (unknown.length > 0)
    sentences.push(
      `${unknown.length === 1 ? 'One rule' : `${unknown.length} rules`} of the other bot could not be compared, because they were not carried over exactly.`,
    );
  return sentences;
}

function toStored({ position, role_id, definition }: EntryRow) {
  return { id: `import-${position}`, role_id: role_id ?? '', definition: definition ?? {} };
}

function differences(
  roleId: string,
  { noGains, noLosses }: { noGains: Answer; noLosses: Answer },
  names: Names,
): string[] {
  const role = names.role(roleId);
  return [
    ...(noGains.kind === 'disproven'
      ? [
          `Members can get ${role} here who do not get it from the other bot, for example one ${exampleInWords(noGains.example, names)}.`,
        ]
      : []),
    ...(noLosses.kind === 'disproven'
      ? [
          `Members who get ${role} from the other bot may not get it here, for example one ${exampleInWords(noLosses.example, names)}.`,
        ]
      : []),
    ...[noGains, noLosses]
      .flatMap((answer) => (answer.kind === 'unproven' ? [answer] : []))
      .slice(0, 1)
      .map((answer) => `Whether ${role} is given as by the other bot could not be proven: ${whyUnproven(answer)}.`),
  ];
}

function inWords(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
