import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { PaymasterPolicy } from '../../partner-settings.ts';

const TransactionRequest = record('TransactionRequest', 'A transaction that somebody wants to send.', {
  to: T.Optional(text('The contract it calls.', { maxLength: 64 })),
  value: T.Optional(
    text('What it sends along, in wei, as decimal digits or 0x and hexadecimal ones.', { maxLength: 80 }),
  ),
  data: T.Optional(text('What it calls the contract with, as hexadecimal digits.', { maxLength: 262_144 })),
});

export const PaymasterData = record('BiconomyPaymasterWebhookData', 'Whose gas shall be paid, and for what.', {
  chainId: T.Optional(T.Number({ description: 'The chain.', minimum: 1, multipleOf: 1 })),
  owner: T.Optional(text('The account that owns the smart account.', { maxLength: 64 })),
  account: T.Optional(text('The smart account that sends.', { maxLength: 64 })),
  txs: T.Optional(T.Array(TransactionRequest, { description: 'The transactions, in order.', maxItems: 50 })),
  paymasterUrl: T.Optional(text('The paymaster that asks; ignored.', { maxLength: 2048 })),
  authToken: T.Optional(text('The secret that this server shares with the caller.', { maxLength: 512 })),
});
export type PaymasterData = ValueOf<typeof PaymasterData>;

export const PaymasterRequest = record('BiconomyPaymasterWebhookRequest', 'What a paymaster asks before it pays.', {
  data: T.Optional(PaymasterData),
});
export type PaymasterRequest = ValueOf<typeof PaymasterRequest>;

/** Who may have gas paid for how many transactions; or a sentence about why it is not. */
export type Judgement = { kind: 'fits'; owner: string; transactions: number } | { kind: 'refused'; reason: string };

type Transaction = NonNullable<PaymasterData['txs']>[number];

/** Holds a request against the policy, apart from how often it was asked. */
export function judge(policy: Pick<PaymasterPolicy, 'calls' | 'maxValueWei'>, data: PaymasterData): Judgement {
  const { chainId, txs = [] } = data;
  const owner = data.owner?.toLowerCase() ?? '';
  if (!isAddress(owner)) return refused('The owner is no EVM address.');
  if (data.account !== undefined && !isAddress(data.account.toLowerCase()))
    return refused('The account is no EVM address.');
  if (txs.length === 0) return refused('There is no transaction to pay for.');
  const calls = policy.calls.filter((call) => call.chainId === chainId);
  if (calls.length === 0) return refused('Nothing is paid for on this chain.');
  for (const [at, transaction] of txs.entries()) {
    const reason = refuse(calls, policy.maxValueWei, transaction);
    if (reason !== undefined) return refused(`Transaction ${at + 1} ${reason}.`);
  }
  return { kind: 'fits', owner, transactions: txs.length };
}

function refuse(calls: PaymasterPolicy['calls'], maxValueWei: bigint, { to, value, data }: Transaction) {
  const amount = value ?? '0';
  if (!/^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(amount)) return 'has a value that is no number';
  if (BigInt(amount) > maxValueWei) return 'sends along more than is allowed';
  const input = (data ?? '0x').toLowerCase();
  if (!/^0x([0-9a-f]{2})*$/.test(input)) return 'has data that is not hexadecimal';
  const ofContract = calls.filter(({ address }) => address === to?.toLowerCase());
  if (ofContract.length === 0) return 'calls a contract that is not paid for';
  const selector = input.slice(0, 10);
  const fits = ofContract.some((call) => call.selector === undefined || call.selector === selector);
  return fits ? undefined : 'calls a method that is not paid for';
}

function refused(reason: string): Judgement {
  return { kind: 'refused', reason };
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(text);
}
