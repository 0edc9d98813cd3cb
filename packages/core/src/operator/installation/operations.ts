import { addSeconds, admin, listOf, op, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { registrarAddress } from '../../identity/hosted-wallets/index.ts';
import { listSpendings } from '../../services/spending/index.ts';
import { payerAddress } from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';

const daySeconds = 24 * 60 * 60;
const units = (description: string) => T.String({ description, pattern: '^[0-9]{1,100}$', maxLength: 100 });

const SpendingState = record('SpendingState', 'What this server paid for others, and may pay.', {
  spenders: texts('Which callers it pays for: client ids, apps for all applications, people for all signed-in users.'),
  budgets: T.Array(
    record('SpendingBudget', 'One coin, within 24 hours.', {
      coin: text('The coin, for example evm:8453 or near:mainnet.'),
      decimals: T.Number({ description: 'The number of decimals of the amounts.', minimum: 0 }),
      spent: units('What was paid or is reserved, in the smallest unit.'),
      limit: units('What may be paid for all, in the smallest unit.'),
      perCaller: units('What may be paid for one caller, in the smallest unit.'),
      callers: T.Array(
        record('SpendingCaller', 'What was paid for one caller.', {
          callerId: text('The caller.'),
          spent: units('In the smallest unit.'),
        }),
        { description: 'The callers, largest amounts first.', maxItems: 100 },
      ),
    }),
    { description: 'By coin.', maxItems: 100 },
  ),
  walletFeesPaidBy: T.Optional(text('The account that pays for wallets of communities and organizations.')),
  walletChainId: T.Optional(T.Number({ description: 'The chain of those wallets.' })),
  registry: T.Optional(
    record('RegistryState', 'Where hosted wallets are registered.', {
      chainId: T.Number({ description: 'The chain.' }),
      address: text('The contract.'),
      registrar: text('The account that registers them, and needs money for fees.'),
    }),
  ),
});
type SpendingState = ValueOf<typeof SpendingState>;

const mostCallers = 100;

export async function getSpending(ctx: Context): Promise<SpendingState> {
  const { budgets = {}, spenders = [] } = ctx.settings.spending ?? {};
  const spent = await listSpendings(ctx.db.system, addSeconds(ctx.clock(), -daySeconds));
  const coins = [...new Set([...Object.keys(budgets), ...spent.map(({ coin }) => coin)])];
  return {
    spenders: [...spenders],
    budgets: coins.map((coin) => {
      const ofCoin = spent.filter((one) => one.coin === coin);
      const { total = 0n, perCaller = 0n } = budgets[coin] ?? {};
      return {
        coin,
        decimals: coin.startsWith('near:') ? 24 : 18,
        spent: String(ofCoin.reduce((sum, { amount }) => sum + amount, 0n)),
        limit: String(total),
        perCaller: String(perCaller),
        callers: ofCoin.slice(0, mostCallers).map(({ callerId, amount }) => ({ callerId, spent: String(amount) })),
      };
    }),
    ...(ctx.safes !== undefined && {
      walletFeesPaidBy: await payerAddress(ctx),
      walletChainId: ctx.safes.chainId,
    }),
    ...(ctx.walletRegistry !== undefined && {
      registry: {
        chainId: ctx.walletRegistry.chainId,
        address: ctx.walletRegistry.address,
        registrar: await registrarAddress(ctx),
      },
    }),
  };
}

const SettingInForce = record('SettingInForce', 'A setting of the server that answers.', {
  name: text('The environment variable.'),
  meaning: text('Its meaning.', { maxLength: 2000 }),
  value: T.Optional(text('The current value. Absent for secrets and for what is not set; of addresses only the host.')),
  isMasked: T.Boolean({ description: 'Whether its value is never shown.' }),
  isSet: T.Boolean({ description: 'Whether it is set explicitly or uses the default.' }),
  warning: T.Optional(text('Why the current value is dangerous, and what to do.', { maxLength: 2000 })),
});

export const installationOperations = [
  op(
    'GET /latchkey/operator/settings',
    {
      id: 'listSettings',
      summary: 'List settings in force',
      description:
        'Returns every setting of the server that answers, with a warning where the current value is dangerous. Secrets are not shown. For the operator.',
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
