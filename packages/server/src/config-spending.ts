import { coins, plainList, privateKey } from './config-kinds.ts';

const nearDecimals = 24;
const evmDecimals = 18;

/** The variables for what this server pays for others. */
export const spendingVariables = {
  LATCHKEY_SPENDERS: plainList(
    'Who can spend this server’s funds, besides the operator: client application ids, apps for all applications, people for all signed-in users. Defaults to none.',
  ),
  LATCHKEY_NEAR_SPEND_PER_DAY: coins(
    'The most that this server pays for others on NEAR in 24 hours, in NEAR. Defaults to nothing.',
    nearDecimals,
  ),
  LATCHKEY_NEAR_SPEND_PER_CALLER: coins(
    'The most that it pays there for one caller in 24 hours, in NEAR.',
    nearDecimals,
  ),
  LATCHKEY_REGISTRY_SPEND_PER_DAY: coins(
    'The most that the registrar of hosted wallets pays in fees in 24 hours, in its chain’s native coin. Defaults to nothing.',
    evmDecimals,
  ),
  LATCHKEY_REGISTRY_SPEND_PER_CALLER: coins(
    'The most that it pays for one user in 24 hours, in its chain’s native coin.',
    evmDecimals,
  ),
  LATCHKEY_WALLET_SPEND_PER_DAY: coins(
    'The most that this server pays in 24 hours to deploy and use community and organization wallets, in their chain’s native coin. Defaults to nothing.',
    evmDecimals,
  ),
  LATCHKEY_WALLET_SPEND_PER_CALLER: coins(
    'The most that it pays for one user in 24 hours, in their chain’s native coin.',
    evmDecimals,
  ),
  LATCHKEY_WALLET_PAYER_KEY: privateKey(
    'The private key of the account that pays for them. By default, one is generated and stored encrypted in the database.',
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
