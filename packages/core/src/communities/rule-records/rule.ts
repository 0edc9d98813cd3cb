import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { PlatformRole } from '../../ports/index.ts';
import { formatDecimal, toDecimal } from '../../shared/decimal.ts';
import type { CommunityRuleRow } from './queries.ts';

const decided = {
  name: T.Optional(text('The name of the rule.', { maxLength: 200 })),
  description: T.Optional(text('What the rule is for.', { maxLength: 2000 })),
  roleId: T.Optional(text('The role that members who meet the rule get: the platform’s own id.', { maxLength: 100 })),
  minToken: T.Optional(text('The minimum amount, a decimal in whole tokens. Defaults to 1.', { maxLength: 100 })),
  maxToken: T.Optional(
    text('The maximum amount, a decimal in whole tokens. Defaults to no limit.', { maxLength: 100 }),
  ),
  chainId: T.Optional(T.Number({ description: 'The chain, for EVM the chain id.', minimum: 0, multipleOf: 1 })),
  tokenSymbol: T.Optional(text('The symbol of the token, for kinds that go by it.', { maxLength: 100 })),
  tokenId: T.Optional(
    text('Which tokens count: a list, ranges, globs, or the address of a list.', { maxLength: 4000 }),
  ),
  collectionName: T.Optional(text('The collection, for rule types that use its name.', { maxLength: 200 })),
  eventId: T.Optional(text('The event, for attendance tokens.', { maxLength: 100 })),
  platform: T.Optional(text('The chat platform. Defaults to that of the community.', { maxLength: 20 })),
  contractAddress: T.Optional(text('The address of the contract, mint, issuer or collection.', { maxLength: 400 })),
  type: T.Optional(text('The kind of rule, for example ERC721.', { maxLength: 50 })),
  scheme: T.Optional(text('The kind of rule, for those that have no type.', { maxLength: 50 })),
  query: T.Optional(
    text('A JSONata expression over what the account holds, from version 2.0.0 on.', { maxLength: 8000 }),
  ),
  variables: T.Optional(OpenObject),
  asset: T.Optional(text('The asset in CAIP form, for example evm:1/ERC721:0x….', { maxLength: 1000 })),
  requiresMetadata: T.Optional(T.Boolean({ description: 'Whether the metadata of tokens is read.' })),
  version: T.Optional(text('The version of the rule: 1.0.0, 2.0.0 or 2.1.0.', { maxLength: 20 })),
};

/** The fields that a rule stores; others are not saved. */
export const ruleFields: readonly string[] = Object.keys(decided);

const amount = (description: string) =>
  T.Optional(T.Union([T.String({ maxLength: 100 }), T.Number()], { description }));

/** What clients send: amounts may also be numbers, which are stored as strings. */
const given = {
  ...decided,
  minToken: amount('The minimum amount in whole tokens, a decimal as text or a number. Defaults to 1.'),
  maxToken: amount('The maximum amount in whole tokens, a decimal as text or a number. Defaults to no limit.'),
};

const createdTime = T.Optional(text('When the rule was created, in ISO 8601 format.'));
const classifierGroup = T.Optional(text('Always TPC.'));
const id = T.Optional(text('TPC#, the contract, the role and the chain; unique within the community.'));
const sk = T.Optional(text('Same as id.'));
const classifier = T.Optional(text('Always TPC.'));

export const NewTokenPermissionedChat = record(
  'NewTokenPermissionedChat',
  'A rule to create: members who hold the asset get the role.',
  { ...given, createdTime, classifierGroup },
);

export const TokenPermissionedChatToBeReplaced = record(
  'TokenPermissionedChatToBeReplaced',
  'The new version of a rule. Fields that only the server sets are ignored.',
  { ...given, id, sk, classifier, createdTime, classifierGroup },
);

export const TokenPermissionedChat = record(
  'TokenPermissionedChat',
  'A rule: members who hold the asset get the role.',
  {
    id,
    createdTime,
    pk: T.Optional(text('The id of the community.')),
    sk,
    classifier,
    classifierGroup,
    ...decided,
    roleName: T.Optional(text('The name of the role, if it was requested and the platform answers.')),
    roleColor: T.Optional(T.Number({ description: 'The color of the role, as the platform represents it.' })),
  },
);
export type TokenPermissionedChat = ValueOf<typeof TokenPermissionedChat>;

/** The fields of a rule that the sender sets. */
export type RuleDefinition = Pick<TokenPermissionedChat, keyof typeof decided>;

type Amount = string | number | undefined;

/** The same as sent by clients. */
export type GivenRule = Omit<RuleDefinition, 'minToken' | 'maxToken'> & { minToken?: Amount; maxToken?: Amount };

/** How many rules one community can have. */
export const maxRules = 1000;

export function definitionOf({ minToken, maxToken, ...body }: GivenRule): RuleDefinition {
  const all = { ...body, minToken: toAmount(minToken), maxToken: toAmount(maxToken) };
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => Object.hasOwn(decided, name) && value !== undefined),
  );
}

function toAmount(amount: Amount): string | undefined {
  if (typeof amount !== 'number') return amount;
  const decimal = toDecimal(amount);
  return decimal === undefined ? String(amount) : formatDecimal(decimal);
}

export function toRule(row: CommunityRuleRow, role?: PlatformRole): TokenPermissionedChat {
  return {
    ...definitionOf(row.definition),
    id: row.id,
    pk: row.community_id,
    sk: row.id,
    classifier: 'TPC',
    classifierGroup: 'TPC',
    roleId: row.role_id,
    createdTime: row.created_at.toISOString(),
    ...(role !== undefined && { roleName: role.name, roleColor: role.color }),
  };
}

/** `TPC#<contract>#<role>[#<chain>]`, followed by a number if another rule already has that id. */
export function ruleIdOf(rule: RuleDefinition, roleId: string, taken: ReadonlySet<string>): string {
  const { chain, contract } = subjectOf(rule);
  const plain = ['TPC', contract, roleId, ...(chain === undefined ? [] : [chain])].join('#');
  if (!taken.has(plain)) return plain;
  let number = 2;
  while (taken.has(`${plain}#${number}`)) number += 1;
  return `${plain}#${number}`;
}

function subjectOf(rule: RuleDefinition): { chain: string | undefined; contract: string } {
  const [, chain, contract] = /^[^:/]+:([^/]+)\/[^:/]+:([^/?]+)/.exec(rule.asset ?? '') ?? [];
  const names = [rule.contractAddress, contract, rule.collectionName, rule.tokenSymbol, rule.eventId];
  const named = names.find((name) => name !== undefined && name !== '');
  return {
    chain: rule.chainId?.toString() ?? chain,
    contract: named ?? rule.scheme ?? rule.type ?? 'RULE',
  };
}
