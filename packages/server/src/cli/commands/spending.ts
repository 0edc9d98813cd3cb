import { listSpendings, payerAddress } from '@latchkey/core';
import { addDays } from '@latchkey/kernel';
import { spendingSettings } from '../../compose/spending.ts';
import { withEmulators } from '../../sandbox/index.ts';
import type { Command } from '../command.ts';
import { print } from '../print.ts';

export const spending: Command = {
  usage: 'spending',
  meaning: 'show what this server paid for others in the last 24 hours, and its limits',
  words: 0,
  options: {},
  run: async (ctx, _args, _options, given) => {
    const { budgets, spenders } = spendingSettings(withEmulators(given));
    const spent = await listSpendings(ctx.db.system, addDays(ctx.clock(), -1));
    if (ctx.safes !== undefined)
      print(`Wallet fees are paid by ${await payerAddress(ctx)} on chain ${ctx.safes.chainId}`);
    print(`Spenders   ${spenders.join(', ') || 'only you: set LATCHKEY_SPENDERS'}`);
    for (const coin of new Set([...Object.keys(budgets), ...spent.map((one) => one.coin)])) {
      const ofCoin = spent.filter((one) => one.coin === coin);
      const total = ofCoin.reduce((sum, { amount }) => sum + amount, 0n);
      const { total: limit = 0n, perCaller = 0n } = budgets[coin] ?? {};
      print(
        `${coin}  ${inCoins(coin, total)} of ${inCoins(coin, limit)}, up to ${inCoins(coin, perCaller)} for one caller`,
      );
      for (const { callerId, amount } of ofCoin) print(`  ${inCoins(coin, amount)}  ${callerId}`);
    }
  },
};

function inCoins(coin: string, amount: bigint): string {
  const decimals = coin.startsWith('near:') ? 24 : 18;
  const digits = String(amount).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`;
}
