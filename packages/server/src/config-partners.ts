import { contractCalls, email, number, wei } from './config-kinds.ts';

/** The variables for external partners. */
export const partnerVariables = {
  LATCHKEY_SUPPORT_EMAIL: email(
    'The email address that gets support tickets if no help desk is configured. Defaults to the sender address of emails.',
  ),
  LATCHKEY_WAITING_LIST_CONTRACTS: contractCalls(
    'The waiting list contracts as chain=address. The first one is the default.',
  ),
  LATCHKEY_WAITING_LIST_PRICE_WEI: wei('The price of a place on the waiting list, in wei.', '0'),
  LATCHKEY_WAITING_LIST_QUOTE_SECONDS: number('How long a waiting list quote is valid, in seconds.', 900, 30, 86_400),
  LATCHKEY_PAYMASTER_CALLS: contractCalls(
    'The calls that the paymaster sponsors, as chain=address or chain=address:selector.',
  ),
  LATCHKEY_PAYMASTER_MAX_VALUE_WEI: wei('The maximum value of a sponsored transaction, in wei.', '0'),
  LATCHKEY_PAYMASTER_DAILY_LIMIT: number(
    'The maximum number of sponsored transactions per owner per day.',
    20,
    1,
    1_000_000,
  ),
  LATCHKEY_PAYMASTER_TOTAL_DAILY_LIMIT: number(
    'The maximum number of sponsored transactions per day, for all owners together.',
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
