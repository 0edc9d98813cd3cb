import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

export const TokenPermissionRuleResponse = record(
  'TokenPermissionRuleResponse',
  'A rule that is ready to be made: add a role and send it to POST /communities/{id}/tpcs.',
  {
    id: T.Optional(text('Names the rule in this list.')),
    createdTime: T.Optional(text('Not set: the list is part of the server.')),
    pk: T.Optional(text('Not set: the rule belongs to no community yet.')),
    sk: T.Optional(text('The id again.')),
    classifier: T.Optional(text('Always TPC.')),
    classifierGroup: T.Optional(text('Always TPC.')),
    name: T.Optional(text('What people call the rule.')),
    description: T.Optional(text('Who fulfils it.')),
    communityId: T.Optional(text('Not set: the rule belongs to no community yet.')),
    roleId: T.Optional(text('Not set: choose a role of your community.')),
    scheme: T.Optional(text('The kind of rule.')),
    query: T.Optional(text('The JSONata expression of the rule.')),
    variables: T.Optional(OpenObject),
    asset: T.Optional(text('The asset in CAIP form.')),
    requiresMetadata: T.Optional(T.Boolean({ description: 'Whether the metadata of tokens is looked at.' })),
    version: T.Optional(text('The version of the rule.')),
  },
);
export type TokenPermissionRuleResponse = ValueOf<typeof TokenPermissionRuleResponse>;

function holding(
  key: string,
  name: string,
  description: string,
  scheme: string,
  asset: string,
): TokenPermissionRuleResponse {
  const id = `TPC#AXIE#${key}`;
  return {
    id,
    sk: id,
    classifier: 'TPC',
    classifierGroup: 'TPC',
    name,
    description,
    scheme,
    asset,
    query: '$ownsBalance($, $_filter)',
    variables: { _filter: { minCount: 1 } },
    requiresMetadata: false,
    version: '2.1.0',
  };
}

/** The contracts of Axie Infinity on Ronin, chain 2020. */
const rules: readonly TokenPermissionRuleResponse[] = [
  holding(
    'AXIE',
    'Axie holder',
    'Owns an Axie.',
    'ERC721',
    'evm:2020/ERC721:0x32950db2a7164ae833121501c797d79e7b79d74c',
  ),
  holding(
    'AXS',
    'AXS holder',
    'Holds one Axie Infinity Shard.',
    'ERC20',
    'evm:2020/ERC20:0x97a9107c1793bc407d6f527b77e7fff4d812bece',
  ),
  holding(
    'SLP',
    'SLP holder',
    'Holds one Smooth Love Potion.',
    'ERC20',
    'evm:2020/ERC20:0xa8754b9fa15fc18bb59458815510e40a12cd2014',
  ),
  holding(
    'WRON',
    'WRON holder',
    'Holds one Wrapped RON.',
    'ERC20',
    'evm:2020/ERC20:0xe514d9deb7966c8be0ca922de8a064264ea6bcd4',
  ),
];

export function getAxieRuleList(): TokenPermissionRuleResponse[] {
  return [...rules];
}
