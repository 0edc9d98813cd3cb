import { coins, hex, plainList } from './config-kinds.ts';

const nearDecimals = 24;
const evmDecimals = 18;

/** The variables about what this server pays for others. */
export const spendingVariables = {
  LATCHKEY_SPENDERS: plainList(
    'Who may have this server pay: ids of client applications, apps for all of them, people for everybody who is signed in. The operator always may. Without it nobody else.',
  ),
  LATCHKEY_NEAR_SPEND_PER_DAY: coins(
    'What this server pays on NEAR for others within 24 hours, in NEAR. Without it nothing.',
    nearDecimals,
  ),
  LATCHKEY_NEAR_SPEND_PER_CALLER: coins('What it pays there for one caller within 24 hours, in NEAR.', nearDecimals),
  LATCHKEY_REGISTRY_SPEND_PER_DAY: coins(
    'What the registrar of hosted wallets pays for fees within 24 hours, in the coin of its chain. Without it nothing.',
    evmDecimals,
  ),
  LATCHKEY_REGISTRY_SPEND_PER_CALLER: coins(
    'What it pays for one person within 24 hours, in the coin of its chain.',
    evmDecimals,
  ),
  LATCHKEY_WALLET_SPEND_PER_DAY: coins(
    'What this server pays within 24 hours for deploying and using wallets of communities and organizations, in the coin of their chain. Without it nothing.',
    evmDecimals,
  ),
  LATCHKEY_WALLET_SPEND_PER_CALLER: coins(
    'What it pays for one person within 24 hours, in the coin of their chain.',
    evmDecimals,
  ),
  LATCHKEY_WALLET_PAYER_KEY: hex(
    'The private key of the account that pays for them. Without it one is made and kept sealed in the database.',
    32,
  ),
};

type Values = {
  [Name in keyof typeof spendingVariables]: ReturnType<(typeof spendingVariables)[Name]['read']>;
};

export function shapeSpending(values: Values) {
  return {
    spending: {
      spenders: values.LATCHKEY_SPENDERS,
      near: { total: values.LATCHKEY_NEAR_SPEND_PER_DAY, perCaller: values.LATCHKEY_NEAR_SPEND_PER_CALLER },
      registry: { total: values.LATCHKEY_REGISTRY_SPEND_PER_DAY, perCaller: values.LATCHKEY_REGISTRY_SPEND_PER_CALLER },
      wallets: { total: values.LATCHKEY_WALLET_SPEND_PER_DAY, perCaller: values.LATCHKEY_WALLET_SPEND_PER_CALLER },
    },
    walletPayerKey: values.LATCHKEY_WALLET_PAYER_KEY,
  };
}
