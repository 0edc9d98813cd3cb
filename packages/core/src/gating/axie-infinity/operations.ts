import { alsoLimited, app, listOf, op, resource } from '@latchkey/kernel';
import { getAxieRuleList, TokenPermissionRuleResponse } from './rules.ts';

export const axieInfinity = resource('axie-infinity', 'Ready-made rules for communities around Axie Infinity.', [
  op(
    'GET /axie-infinity/rules',
    {
      id: 'getAxieRuleList',
      sdk: 'AxieRulesController.getAxieRuleList',
      summary: 'List rules about Axie Infinity',
      description:
        'Returns rules over the tokens of Axie Infinity that are ready to be made: add a role and, if one is not enough, change minCount.',
      access: alsoLimited(app(), { harmless: 'The list is the same for everybody.' }),
      returns: listOf(TokenPermissionRuleResponse, 'The rules.'),
    },
    getAxieRuleList,
  ),
]);
