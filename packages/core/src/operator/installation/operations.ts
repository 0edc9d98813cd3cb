import { admin, listOf, op, record, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getSpending, SpendingState } from './spending.ts';

const SettingInForce = record('SettingInForce', 'A setting of the server that answers.', {
  name: text('The environment variable.'),
  meaning: text('What it decides.', { maxLength: 2000 }),
  value: T.Optional(text('What is in force. Absent for secrets and for what is not set; of addresses only the host.')),
  isMasked: T.Boolean({ description: 'Whether its value is never shown.' }),
  isSet: T.Boolean({ description: 'Whether somebody set it, or the default holds.' }),
  warning: T.Optional(text('Why the present value is dangerous, and what to do.', { maxLength: 2000 })),
});

export const installationOperations = [
  op(
    'GET /latchkey/operator/settings',
    {
      id: 'listSettings',
      summary: 'List settings in force',
      description:
        'Returns every setting of the server that answers, with a warning where the present value is dangerous. Secrets are not shown. For the operator.',
      access: admin(),
      returns: listOf(SettingInForce, 'The settings, in the order of the manual.'),
    },
    async ({ installation }: Pick<Context, 'installation'>) => [...installation.settings],
  ),
  op(
    'GET /latchkey/operator/spending',
    {
      id: 'getSpending',
      summary: 'Get spending and budgets',
      description:
        'Returns what this server paid for others within 24 hours, its budgets, and the accounts that need money for fees. For the operator.',
      access: admin(),
      returns: SpendingState,
    },
    getSpending,
  ),
] as const;
