import { alsoLimited, app, listOf, OpenObject, op, record, resource, T, text, type ValueOf } from '@latchkey/kernel';
import known from './contracts.json' with { type: 'json' };

const TokenPermissionRuleResponse = record(
  'TokenPermissionRuleResponse',
  'A ready-made rule: add a role and send it to POST /communities/{id}/tpcs.',
  {
    id: T.Optional(text('The id of the rule in this list.')),
    createdTime: T.Optional(text('Not set: the list is part of the server.')),
    pk: T.Optional(text('Not set: the rule belongs to no community yet.')),
    sk: T.Optional(text('The id again.')),
    classifier: T.Optional(text('Always TPC.')),
    classifierGroup: T.Optional(text('Always TPC.')),
    name: T.Optional(text('The name of the rule.')),
    description: T.Optional(text('Who meets the rule.')),
    communityId: T.Optional(text('Not set: the rule belongs to no community yet.')),
    roleId: T.Optional(text('Not set: choose a role of your community.')),
    scheme: T.Optional(text('The kind of rule.')),
    query: T.Optional(text('The JSONata expression of the rule.')),
    variables: T.Optional(OpenObject),
    asset: T.Optional(text('The asset in CAIP form.')),
    requiresMetadata: T.Optional(T.Boolean({ description: 'Whether the metadata of tokens is read.' })),
    version: T.Optional(text('The version of the rule.')),
  },
);

type TokenPermissionRuleResponse = ValueOf<typeof TokenPermissionRuleResponse>;

/** One rule for each contract of Axie Infinity on Ronin, chain 2020. */
const rules: readonly TokenPermissionRuleResponse[] = known.contracts.map(
  ({ key, name, description, standard, address }) => {
    const id = `TPC#AXIE#${key}`;
    return {
      id,
      sk: id,
      classifier: 'TPC',
      classifierGroup: 'TPC',
      name,
      description,
      scheme: standard,
      asset: `evm:2020/${standard}:${address}`,
      query: '$ownsBalance($, $_filter)',
      variables: { _filter: { minCount: 1 } },
      requiresMetadata: false,
      version: '2.1.0',
    };
  },
);

export function getAxieRuleList(): TokenPermissionRuleResponse[] {
  return [...rules];
}

export const axieInfinity = resource('axie-infinity', 'Ready-made rules for Axie Infinity communities.', [
  op(
    'GET /axie-infinity/rules',
    {
      id: 'getAxieRuleList',
      sdk: 'AxieRulesController.getAxieRuleList',
      summary: 'List Axie Infinity rules',
      description:
        'Returns ready-made rules for Axie Infinity tokens: add a role and, if you require more than one token, change minCount.',
      access: alsoLimited(app(), { harmless: 'The list is the same for everyone.' }),
      returns: listOf(TokenPermissionRuleResponse, 'The rules.'),
    },
    getAxieRuleList,
  ),
]);
