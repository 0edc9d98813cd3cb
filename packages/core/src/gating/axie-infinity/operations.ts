import { alsoLimited, app, listOf, op, resource } from '@latchkey/kernel';
import { getAxieRuleList, TokenPermissionRuleResponse } from './rules.ts';

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
