import { number, plainForm, plainText, secret } from './config-kinds.ts';

const account = {
  form: /^(?=.{2,64}$)[a-z\d]+(?:[-_.][a-z\d]+)*$/,
  expected: 'a NEAR account, such as shop.near',
};

/** The variables for NEAR: the indexed network, and what is minted and sold there. */
export const nearVariables = {
  LATCHKEY_NEAR_INDEX: plainText(
    'The NEAR network to index, for example mainnet. LATCHKEY_CHAIN_URLS must list its nodes as near:mainnet=….',
  ),
  LATCHKEY_NEAR_INDEX_FROM: number(
    'The block height after which indexing starts; 0 for the newest block. Only used on the first start.',
    0,
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  LATCHKEY_NEAR_NETWORK: plainText(
    'The NEAR network to mint and sell tokens on. LATCHKEY_CHAIN_URLS must list its nodes as near:mainnet=….',
    'mainnet',
  ),
  LATCHKEY_NEAR_ACCOUNT: plainForm(
    'This server’s account on that network. Without it, nothing is minted or sold on NEAR.',
    account,
  ),
  LATCHKEY_NEAR_PRIVATE_KEY: secret('The full-access key of that account, as ed25519:….', {
    form: /^ed25519:[1-9A-HJ-NP-Za-km-z]{43,88}$/,
    expected: 'a private key as ed25519: and its base58 form',
  }),
  LATCHKEY_NEAR_TOKEN_CODE: plainForm('The account that published the token contract code.', account),
  LATCHKEY_NEAR_MARKET_CODE: plainForm('The account that published the marketplace contract code.', account),
  LATCHKEY_NEAR_MARKET: plainForm('The default marketplace.', account),
  LATCHKEY_NEAR_MARKET_FEE: number('The fee of new marketplaces per sale, in basis points.', 0, 0, 5000),
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
