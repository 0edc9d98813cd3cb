import type { Recipe } from './recipe.ts';

export const ruleKind: Recipe = {
  title: 'add a rule kind',
  atMost: 4,
  checks: [
    'packages/core/src/gating/rules/read-rule.test.ts',
    'apps/console/src/community/rule-builder/kinds.test.ts',
    'packages/server/test/guards/rule-readers.test.ts',
  ],
  apply: (tree) => {
    tree.insertBefore(
      'packages/core/src/gating/rules/kinds.ts',
      "  { name: 'BEP20',",
      "  { name: 'BEP20_VOTES', chain: bsc, standard: 'erc20', ...address, caip: ['bep20_votes'] },\n",
    );
    tree.insertBefore(
      'apps/console/src/community/rule-builder/kinds.ts',
      "  evm('BEP20',",
      "  evm('BEP20_VOTES', ['contractAddress', ...amount]),\n",
    );
    tree.insertBefore(
      'apps/console/src/community/rule-builder/messages/en/kinds.ts',
      "  'kind.BEP20':",
      "  'kind.BEP20_VOTES': 'Voting token on BNB Smart Chain',\n",
    );
    tree.insertBefore(
      'docs/rules.md',
      '```json BEP20\n',
      `\`\`\`json BEP20_VOTES
{ "type": "BEP20_VOTES", "contractAddress": "0x55d398326f99059fF775485246999027B3197955", "minToken": "1" }
\`\`\`
`,
    );
  },
};
