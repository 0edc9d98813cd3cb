import type { GivenRule } from '../../communities/communities/index.ts';
import { chainIdOf } from './chain-names.ts';
import { isObject, textOf } from './found-rule.ts';

/** What a requirement of Guild means here. */
export interface MappedRequirement {
  /** The rule, if it stands for itself. */
  rule?: GivenRule;
  /** The same inside a tree of rules. */
  tree?: Record<string, unknown>;
  problem?: string;
  notes: string[];
}

/** Less than any amount that a token can have: Guild asks for "any amount" where no least one is given. */
const anyAmount = '0.000000000000000001';

const tokenTypes: readonly string[] = ['COIN', 'ERC20', 'ERC721', 'ERC1155'];

const unmapped: Readonly<Record<string, string>> = {
  ALLOWLIST: 'Rules here have no lists of addresses. Give these members a guest pass instead.',
  FREE: 'It is open to everybody, so no rule is needed.',
};

/** One requirement. What is not certain to mean the same here maps to nothing, with the reason. */
export function mapRequirement(requirement: unknown): MappedRequirement {
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
      : ['The upper limit counts as still allowed. Whether Guild counts it the same way is not documented.'];
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
    return { problem: 'Guild names the event by a word. Look up its event number and create the rule by hand.' };
  }
  if (type === 'GALAXY') {
    const tokenId = textOf(data.galaxyId);
    return tokenId === undefined ? { problem: 'It names no campaign.' } : { rule: { type: 'GALAXY', tokenId } };
  }
  return { problem: unmapped[type] ?? 'Rules here have nothing that is certain to mean the same.' };
}

function mapToken(
  type: string,
  { chain, address }: Record<string, unknown>,
  data: Record<string, unknown>,
): { rule: GivenRule } | { problem: string } {
  const chainId = chainIdOf(textOf(chain) ?? '');
  if (chainId === undefined) return { problem: `The chain "${String(chain ?? '')}" is not known by that name.` };
  const minimum = textOf(data.minAmount) ?? textOf(data.amount);
  const minToken = minimum !== undefined && Number(minimum) !== 0 ? minimum : isCounted(type) ? '1' : anyAmount;
  const maxToken = textOf(data.maxAmount);
  const amounts = { minToken, ...(maxToken !== undefined && Number(maxToken) > 0 && { maxToken }) };
  if (type === 'COIN') return { rule: { type: 'NATIVE', chainId, ...amounts } };
  const contractAddress = textOf(address);
  if (contractAddress === undefined) return { problem: 'It names no contract.' };
  const tokenId = textOf(data.id);
  const traits = traitsOf(data);
  if (traits === undefined) return { problem: 'It asks for a range of a trait, which cannot be carried over exactly.' };
  if (type === 'ERC1155' && tokenId === undefined) return { problem: 'It names no token id, which rules here need.' };
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

/** The traits that a token must have; undefined where one of them is not a plain value. */
function traitsOf(data: Record<string, unknown>): { trait_type: string; value: string }[] | undefined {
  const given = data.attributes ?? (data.attribute === undefined ? [] : [data.attribute]);
  if (!Array.isArray(given)) return undefined;
  const traits = given.filter(isObject).filter((trait) => textOf(trait.trait_type) !== undefined);
  const plain = traits.flatMap((trait) => {
    const value = textOf(trait.value);
    const type = textOf(trait.trait_type);
    // A value that begins with a dollar sign would be read as a query.
    return value === undefined || type === undefined || value.startsWith('$') ? [] : [{ trait_type: type, value }];
  });
  return plain.length === given.length ? plain : undefined;
}
