import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { assetsOf, openRules } from '../evaluation/index.ts';
import { plainName, readTokenNames } from '../naming/index.ts';
import {
  type Answer,
  compareRules,
  directionOf,
  exampleInWords,
  type Names,
  type RoleComparison,
  shareEffort,
  whyUnproven,
} from '../rule-analysis/index.ts';
import { roleNamer } from '../rule-builder/index.ts';
import type { Roles } from './match-role.ts';
import type { EntryRow } from './queries.ts';
import type { ImportComparison } from './shapes.ts';

const mostSteps = 3_000_000;
const stepsPerRole = 400_000;
/** The most roles that one answer compares. */
const mostRoles = 50;

/**
 * Whether the rules of a community, with those of an import that can be turned on, give the imported roles to the same members as the
 * imported rules do. Undefined if no rule of the import has an equivalent.
 */
export async function compareImport(
  ctx: Pick<Context, 'clock' | 'db' | 'tokenMetadata'>,
  { id: communityId }: Pick<CommunityRow, 'id'>,
  entries: readonly EntryRow[],
  roles: Roles,
): Promise<ImportComparison | undefined> {
  const imported = entries.flatMap(rulesOf);
  if (imported.length === 0) return undefined;
  const saved = await selectRules(ctx.db.system, communityId);
  const ready = entries.filter(({ state }) => state === 'ready').flatMap(rulesOf);
  const [there, here] = [openRules(imported), openRules([...saved, ...ready])];
  const names: Names = {
    role: roleNamer(roles),
    rule: (id) => plainName(id),
    token: await readTokenNames(ctx, [...assetsOf(there), ...assetsOf(here)], { asks: false }),
  };
  const share = shareEffort(mostSteps, () => stepsPerRole);
  const roleIds = [...new Set(imported.map(({ role_id: roleId }) => roleId))];
  const comparisons: RoleComparison[] = [];
  for (const roleId of roleIds.slice(0, mostRoles))
    comparisons.push(...(await share((effort) => compareRules(there, here, { roleId, effort }))));
  const isWhole = roleIds.length <= mostRoles;
  const found = directionOf(comparisons);
  const direction = found === 'equal' && !isWhole ? 'unproven' : found;
  const left = entries.length - imported.length;
  const rest = left === 0 ? '' : ` Left out: ${left === 1 ? '1 rule' : `${left} rules`} without an equivalent.`;
  const sentence = inWords(direction, { comparisons, names, isReady: ready.length > 0, isWhole });
  return { direction, sentence: `${sentence}${rest}` };
}

function rulesOf({ position, role_id: roleId, definition }: EntryRow) {
  return roleId === null || definition === null ? [] : [{ id: `imported-${position}`, role_id: roleId, definition }];
}

function inWords(
  direction: ImportComparison['direction'],
  {
    comparisons,
    names,
    isReady,
    isWhole,
  }: { comparisons: readonly RoleComparison[]; names: Names; isReady: boolean; isWhole: boolean },
): string {
  const here = isReady ? 'Once these are turned on, the rules here' : 'The rules here';
  const first = (of: 'noGains' | 'noLosses', kind: Answer['kind']) => comparisons.find((one) => one[of].kind === kind);
  const more = exampleOf(first('noGains', 'disproven'), 'noGains', names);
  const fewer = exampleOf(first('noLosses', 'disproven'), 'noLosses', names);
  switch (direction) {
    case 'equal':
      return `${here} are equivalent to the imported ones.`;
    case 'more':
      return `${here} give roles to more members than the imported ones. For example, ${more} only here.`;
    case 'less':
      return `${here} give roles to fewer members than the imported ones. For example, ${fewer} only there.`;
    case 'incomparable':
      return `${here} give roles to other members than the imported ones. For example, ${more} only here, and ${fewer} only there.`;
    case 'unproven': {
      const open = comparisons.flatMap(({ noGains, noLosses }) => [noGains, noLosses]).find(isUnproven);
      const why = open === undefined || !isWhole ? 'there are too many roles' : whyUnproven(open);
      return `Whether the rules here are equivalent to the imported ones could not be proven: ${why}.`;
    }
  }
}

function exampleOf(found: RoleComparison | undefined, of: 'noGains' | 'noLosses', names: Names): string {
  const answer = found?.[of];
  if (found === undefined || answer?.kind !== 'disproven') return '';
  return `a member ${exampleInWords(answer.example, names)} gets ${names.role(found.roleId)}`;
}

function isUnproven(answer: Answer): answer is Extract<Answer, { kind: 'unproven' }> {
  return answer.kind === 'unproven';
}
