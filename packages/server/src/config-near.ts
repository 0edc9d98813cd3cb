import { number, plainText, text } from './config-kinds.ts';

/** The variables about NEAR: the index of a network, and what is made and sold there. */
export const nearVariables = {
  LATCHKEY_NEAR_INDEX: plainText(
    'The NEAR network whose blocks are indexed, for example mainnet. LATCHKEY_CHAIN_URLS must have nodes of it as near:mainnet=….',
  ),
  LATCHKEY_NEAR_INDEX_FROM: number(
    'The height after which the index of a NEAR network begins; 0 for the newest block. Counts on the first start only.',
    0,
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  LATCHKEY_NEAR_NETWORK: plainText(
    'The NEAR network that tokens are made and sold on. LATCHKEY_CHAIN_URLS must have nodes of it as near:mainnet=….',
    'mainnet',
  ),
  LATCHKEY_NEAR_ACCOUNT: plainText('The account of this server there. Without it nothing is made or sold on NEAR.'),
  LATCHKEY_NEAR_PRIVATE_KEY: text('Its key with full access, as ed25519:….'),
  LATCHKEY_NEAR_TOKEN_CODE: plainText('The account that has published the code of token contracts.'),
  LATCHKEY_NEAR_MARKET_CODE: plainText('The account that has published the code of markets.'),
  LATCHKEY_NEAR_MARKET: plainText('The market that is meant where none is named.'),
  LATCHKEY_NEAR_MARKET_FEE: number('What new markets keep of each sale, in hundredths of a percent.', 0, 0, 5000),
};

type Values = {
  [Name in keyof typeof nearVariables]: ReturnType<(typeof nearVariables)[Name]['read']>;
};

export function shapeNear(values: Values) {
  return {
    near: {
      network: values.LATCHKEY_NEAR_NETWORK ?? 'mainnet',
      account: values.LATCHKEY_NEAR_ACCOUNT,
      privateKey: values.LATCHKEY_NEAR_PRIVATE_KEY,
      tokenCode: values.LATCHKEY_NEAR_TOKEN_CODE,
      marketCode: values.LATCHKEY_NEAR_MARKET_CODE,
      market: values.LATCHKEY_NEAR_MARKET,
      marketFeeBasisPoints: values.LATCHKEY_NEAR_MARKET_FEE,
    },
    nearIndex: { network: values.LATCHKEY_NEAR_INDEX, from: values.LATCHKEY_NEAR_INDEX_FROM },
  };
}
