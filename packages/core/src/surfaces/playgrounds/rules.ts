import type { GivenRule } from '../../communities/rule-records/index.ts';
import type { PlaygroundGuild } from '../../ports/index.ts';

/** The rules that a reader can give the role Holder, each of another kind, with their names. */
const ruleNames = {
  'one-key': 'At least 1 KEY',
  'three-keys': 'At least 3 KEY',
  coins: 'At least 100 COIN',
  badge: 'Badge 1',
  'key-and-more': 'A KEY, and 100 COIN or badge 1',
} as const;

export type RuleChoice = keyof typeof ruleNames;

export const ruleChoices = Object.keys(ruleNames) as RuleChoice[];

/** A rule of this choice for the role Holder. */
export function ruleOf(choice: RuleChoice, { tokens, roles }: PlaygroundGuild): GivenRule {
  return { name: ruleNames[choice], ...conditionsOf(choice, tokens), roleId: roles.holder };
}

/** The rule for the role Collector, which stays. */
export function collectorRule({ tokens, roles }: PlaygroundGuild): GivenRule {
  return { name: ruleNames['three-keys'], ...conditionsOf('three-keys', tokens), roleId: roles.collector };
}

/** The choice that a stored rule came from. */
export function choiceOf(name: unknown): RuleChoice {
  return ruleChoices.find((choice) => ruleNames[choice] === name) ?? 'one-key';
}

function conditionsOf(choice: RuleChoice, { chainId, ...contracts }: PlaygroundGuild['tokens']) {
  const key = { type: 'ERC721', chainId, contractAddress: contracts.keys, minToken: '1' } as const;
  const coins = { type: 'ERC20', chainId, contractAddress: contracts.coins, minToken: '100' } as const;
  const badge = { type: 'ERC1155', chainId, contractAddress: contracts.badges, tokenId: '1', minToken: '1' } as const;
  switch (choice) {
    case 'one-key':
      return key;
    case 'three-keys':
      return { ...key, minToken: '3' };
    case 'coins':
      return coins;
    case 'badge':
      return badge;
    case 'key-and-more':
      return {
        scheme: 'logic',
        version: '2.1.0',
        variables: { rule: { and: [key, { or: [coins, badge] }] } },
      } as const;
  }
}
