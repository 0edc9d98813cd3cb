import { ruleInWords } from '@latchkey/core';
import { readRule } from '@latchkey/core/rule-language';
import { T } from '@latchkey/kernel';
import { type Tool, textResult, toolSchema } from './tool.ts';

/** The largest list of tokens in a rule, twice. */
const maxRuleBytes = 128 * 1024;

/** Says what a rule means by the code that decides it. It needs no credential, since nothing is looked up. */
export const ruleTool: Tool = {
  name: 'explain_rule',
  title: 'Explain a rule in words',
  description:
    'Returns what a rule needs in one sentence, or what is wrong with it. Roles and tokens are named by their ids: use list_rules for the rules of a community under their names.',
  inputSchema: toolSchema({
    rule: T.Object(
      {},
      {
        description: 'The rule as it is sent to the API.',
        additionalProperties: true,
        maxProperties: 100,
        'x-maxBytes': maxRuleBytes,
      },
    ),
  }),
  isReading: true,
  run: async ({ rule }) => {
    const names = { role: (id: string) => `the role ${id}`, token: (asset: string) => asset };
    return textResult(ruleInWords(readRule(rule as Parameters<typeof readRule>[0], '/rule'), names));
  },
};
