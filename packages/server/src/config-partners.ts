import { contractCalls, number, plainText, wei } from './config-kinds.ts';

/** The variables about outside partners. */
export const partnerVariables = {
  LATCHKEY_SUPPORT_EMAIL: plainText(
    'Who is told of support tickets when no help desk is configured. Without it: the sender of mails.',
  ),
  LATCHKEY_WAITING_LIST_CONTRACTS: contractCalls(
    'The contracts of the waiting list as chain=address; the first is used unless another chain is asked for.',
  ),
  LATCHKEY_WAITING_LIST_PRICE_WEI: wei('What a place on the waiting list costs, in wei.', '0'),
  LATCHKEY_WAITING_LIST_QUOTE_SECONDS: number('How long a quote for the waiting list can be used.', 900, 30, 86_400),
  LATCHKEY_PAYMASTER_CALLS: contractCalls(
    'The only calls whose gas is paid, as chain=address or chain=address:selector.',
  ),
  LATCHKEY_PAYMASTER_MAX_VALUE_WEI: wei('The most that one transaction whose gas is paid may send along, in wei.', '0'),
  LATCHKEY_PAYMASTER_DAILY_LIMIT: number(
    'For how many transactions of one owner gas is paid in a day.',
    20,
    1,
    1_000_000,
  ),
  LATCHKEY_PAYMASTER_TOTAL_DAILY_LIMIT: number(
    'For how many transactions of all owners together gas is paid in a day.',
    200,
    1,
    1_000_000,
  ),
};

type Values = {
  [Name in keyof typeof partnerVariables]: ReturnType<(typeof partnerVariables)[Name]['read']>;
};

export function shapePartners(values: Values) {
  return {
    supportEmail: values.LATCHKEY_SUPPORT_EMAIL,
    waitingList: {
      contracts: values.LATCHKEY_WAITING_LIST_CONTRACTS,
      priceWei: values.LATCHKEY_WAITING_LIST_PRICE_WEI,
      quoteTtlSeconds: values.LATCHKEY_WAITING_LIST_QUOTE_SECONDS,
    },
    paymaster: {
      calls: values.LATCHKEY_PAYMASTER_CALLS,
      maxValueWei: values.LATCHKEY_PAYMASTER_MAX_VALUE_WEI,
      transactionsPerDay: values.LATCHKEY_PAYMASTER_DAILY_LIMIT,
      totalPerDay: values.LATCHKEY_PAYMASTER_TOTAL_DAILY_LIMIT,
    },
  };
}
