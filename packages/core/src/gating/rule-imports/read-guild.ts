import type { GivenRule, RuleVisibility } from '../../communities/communities/index.ts';
import { type FoundRule, isObject, nameOf, textOf } from './found-rule.ts';
import { mapRequirement } from './guild-requirement.ts';

/**
 * Reads what Guild's API and SDK answer for a guild: an object with `roles`, or a list of roles. Each reward of a role on
 * the chat platform becomes a rule. Undefined for what is neither.
 */
export function readGuild(value: unknown, nativeCommunityId: string): FoundRule[] | undefined {
  const roles = isObject(value) ? value.roles : value;
  if (!Array.isArray(roles)) return undefined;
  const places = isObject(value) && Array.isArray(value.guildPlatforms) ? value.guildPlatforms.filter(isObject) : [];
  const elsewhere = new Set(
    places
      .filter((place) => textOf(place.platformGuildId) !== nativeCommunityId)
      .map((place) => textOf(place.id))
      .filter((id) => id !== undefined),
  );
  return roles.flatMap((role, index) => readRole(role, index, elsewhere));
}

const visibilities: Readonly<Record<string, RuleVisibility>> = { PRIVATE: 'secret', HIDDEN: 'hidden' };

function readRole(role: unknown, index: number, elsewhere: ReadonlySet<string>): FoundRule[] {
  const fallback = `Role ${index + 1}`;
  if (!isObject(role))
    return [{ key: fallback, name: fallback, role: {}, notes: [], problem: 'This is not a role of Guild.' }];
  const name = nameOf(role.name, fallback);
  const id = textOf(role.id) ?? name;
  const rewards = Array.isArray(role.rolePlatforms) ? role.rolePlatforms.filter(isObject) : [];
  const here = rewards.filter((reward) => !elsewhere.has(textOf(reward.guildPlatformId) ?? ''));
  const found = { key: `role ${id}`, name, role: { name }, notes: [] };
  if (rewards.length > 0 && here.length === 0)
    return [{ ...found, problem: 'Guild gives this role in another community.' }];
  const meaning = readMeaning(role, name);
  const visibility = visibilities[String(role.visibility).toUpperCase()];
  const roleIds = here.map((reward) => textOf(reward.platformRoleId)).filter((roleId) => roleId !== undefined);
  const references = roleIds.length === 0 ? [undefined] : [...new Set(roleIds)];
  return references.map((roleId) => ({
    ...found,
    ...meaning,
    key: roleId === undefined ? found.key : `${found.key} ${roleId}`,
    role: { id: roleId, name },
    ...(visibility !== undefined && { visibility }),
  }));
}

/** All requirements or none: a rule that left one out would give the role to people who must not have it. */
function readMeaning(role: Record<string, unknown>, name: string): Pick<FoundRule, 'rule' | 'problem' | 'notes'> {
  const requirements = Array.isArray(role.requirements) ? role.requirements : [];
  if (requirements.length === 0) return { problem: 'The export names no requirements of this role.', notes: [] };
  const parts = requirements.map(mapRequirement);
  const problems = parts.flatMap(({ problem }) => problem ?? []);
  const notes = [...new Set(parts.flatMap((part) => part.notes))];
  if (problems.length > 0) return { problem: problems.join(' '), notes };
  const trees = parts.map(({ tree }) => tree).filter((tree) => tree !== undefined);
  const [only] = parts;
  const description = textOf(role.description)?.slice(0, 2000);
  const words = { name, ...(description !== undefined && { description }) };
  if (trees.length === 1 && only?.rule !== undefined && !isNegative(role.logic))
    return { rule: { ...only.rule, ...words }, notes };
  const tree = joinTrees(role, trees);
  if (tree === undefined) return { problem: `The logic "${String(role.logic)}" is not known.`, notes };
  return {
    rule: { ...words, scheme: 'logic', version: '2.1.0', variables: { rule: tree } } satisfies GivenRule,
    notes,
  };
}

function isNegative(logic: unknown): boolean {
  return logic === 'NOR' || logic === 'NAND';
}

function joinTrees(
  { logic = 'AND', anyOfNum }: Record<string, unknown>,
  trees: readonly Record<string, unknown>[],
): Record<string, unknown> | undefined {
  switch (logic) {
    case 'AND':
      return { and: trees };
    case 'OR':
      return { or: trees };
    case 'NAND':
      return { not: { and: trees } };
    case 'NOR':
      return { not: { or: trees } };
    case 'ANY_OF': {
      const count = Number(anyOfNum);
      return Number.isInteger(count) && count >= 1 && count <= trees.length ? { atLeast: count, of: trees } : undefined;
    }
    default:
      return undefined;
  }
}
