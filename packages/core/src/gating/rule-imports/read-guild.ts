import { isObject } from '@latchkey/kernel';
import type { GivenRule, RuleVisibility } from '../../communities/rule-records/index.ts';
import { chainIdOf } from './chain-names.ts';
import { type FoundRule, nameOf, textOf } from './found-rule.ts';

/**
 * Reads what Guild's API and SDK return for a guild: an object with `roles`, or a list of roles. Each reward of a role
 * on the chat platform becomes a rule. Undefined if it is neither.
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

/** Maps all requirements or none: a rule that left one out would grant the role to people who must not have it. */
function readMeaning(role: Record<string, unknown>, name: string): Pick<FoundRule, 'rule' | 'problem' | 'notes'> {
  const requirements = Array.isArray(role.requirements) ? role.requirements : [];
  if (requirements.length === 0) return { problem: 'The export has no requirements for this role.', notes: [] };
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
  if (tree === undefined) return { problem: `Unknown logic "${String(role.logic)}".`, notes };
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

/** The equivalent of a Guild requirement. */
interface MappedRequirement {
  /** The rule, if the requirement is the only one. */
  rule?: GivenRule;
  /** The same inside a tree of rules. */
  tree?: Record<string, unknown>;
  problem?: string;
  notes: string[];
}

/** Less than any amount a token can have: without a minimum, Guild requires "any amount". */
const anyAmount = '0.000000000000000001';

const tokenTypes: readonly string[] = ['COIN', 'ERC20', 'ERC721', 'ERC1155'];

const unmapped: Readonly<Record<string, string>> = {
  ALLOWLIST: 'Rules here have no lists of addresses. Give these members a guest pass instead.',
  FREE: 'It is open to everyone, so no rule is needed.',
};

/** Maps one requirement. Anything that may not mean exactly the same here is not mapped, with the reason. */
function mapRequirement(requirement: unknown): MappedRequirement {
  if (!isObject(requirement)) return { problem: 'A requirement cannot be read.', notes: [] };
  const type = String(requirement.type ?? '').toUpperCase();
  const data = isObject(requirement.data) ? requirement.data : {};
  const mapped = mapByType(type, requirement, data);
  if ('problem' in mapped)
    return { problem: `${type || 'A requirement without a type'}: ${mapped.problem}`, notes: [] };
  const rule = { version: '1.0.0', ...mapped.rule };
  const notes =
    textOf(data.maxAmount) === undefined
      ? []
      : ['The upper limit is inclusive. Guild does not document whether its limit is too.'];
  if (requirement.isNegated === true) return { tree: { not: rule }, notes };
  return { rule, tree: rule, notes };
}

function mapByType(
  type: string,
  requirement: Record<string, unknown>,
  data: Record<string, unknown>,
): { rule: GivenRule } | { problem: string } {
  if (tokenTypes.includes(type)) return mapToken(type, requirement, data);
  if (type === 'POAP') {
    const eventId = textOf(data.id) ?? '';
    if (/^\d{1,12}$/.test(eventId)) return { rule: { type: 'POAP', eventId } };
    return { problem: 'Guild identifies the event by name. Look up its event id and create the rule manually.' };
  }
  if (type === 'GALAXY') {
    const tokenId = textOf(data.galaxyId);
    return tokenId === undefined ? { problem: 'It has no campaign.' } : { rule: { type: 'GALAXY', tokenId } };
  }
  return { problem: unmapped[type] ?? 'There is no exact equivalent for this rule.' };
}

function mapToken(
  type: string,
  { chain, address }: Record<string, unknown>,
  data: Record<string, unknown>,
): { rule: GivenRule } | { problem: string } {
  const chainId = chainIdOf(textOf(chain) ?? '');
  if (chainId === undefined) return { problem: `The chain "${String(chain ?? '')}" is unknown.` };
  const minimum = textOf(data.minAmount) ?? textOf(data.amount);
  const minToken = minimum !== undefined && Number(minimum) !== 0 ? minimum : isCounted(type) ? '1' : anyAmount;
  const maxToken = textOf(data.maxAmount);
  const amounts = { minToken, ...(maxToken !== undefined && Number(maxToken) > 0 && { maxToken }) };
  if (type === 'COIN') return { rule: { type: 'NATIVE', chainId, ...amounts } };
  const contractAddress = textOf(address);
  if (contractAddress === undefined) return { problem: 'It has no contract.' };
  const tokenId = textOf(data.id);
  const traits = traitsOf(data);
  if (traits === undefined) return { problem: 'It requires a trait range, which cannot be imported exactly.' };
  if (type === 'ERC1155' && tokenId === undefined) return { problem: 'It has no token id, which rules here require.' };
  const rule = { type, chainId, contractAddress, ...(tokenId !== undefined && { tokenId }) };
  if (traits.length === 0) return { rule: { ...rule, ...amounts } };
  const { minToken: minCount, maxToken: maxCount } = amounts;
  const filter = { minCount, ...(maxCount !== undefined && { maxCount }), condition: 'and', traits };
  return {
    rule: {
      ...rule,
      version: '2.1.0',
      query: '$ownsTraits($, $_filter)',
      requiresMetadata: true,
      variables: { _filter: { filters: [filter] } },
    },
  };
}

function isCounted(type: string): boolean {
  return type === 'ERC721' || type === 'ERC1155';
}

/** The traits that a token must have; undefined if one of them is not a plain value. */
function traitsOf(data: Record<string, unknown>): { trait_type: string; value: string }[] | undefined {
  const given = data.attributes ?? (data.attribute === undefined ? [] : [data.attribute]);
  if (!Array.isArray(given)) return undefined;
  const traits = given.filter(isObject).filter((trait) => textOf(trait.trait_type) !== undefined);
  const plain = traits.flatMap((trait) => {
    const value = textOf(trait.value);
    const type = textOf(trait.trait_type);
    // A value that starts with a dollar sign would be parsed as a query.
    return value === undefined || type === undefined || value.startsWith('$') ? [] : [{ trait_type: type, value }];
  });
  return plain.length === given.length ? plain : undefined;
}
