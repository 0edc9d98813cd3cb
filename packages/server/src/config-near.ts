import { number, plainText, text } from './config-kinds.ts';

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
  LATCHKEY_NEAR_ACCOUNT: plainText(
    'This server’s account on that network. Without it, nothing is minted or sold on NEAR.',
  ),
  LATCHKEY_NEAR_PRIVATE_KEY: text('The full-access key of that account, as ed25519:….'),
  LATCHKEY_NEAR_TOKEN_CODE: plainText('The account that published the token contract code.'),
  LATCHKEY_NEAR_MARKET_CODE: plainText('The account that published the marketplace contract code.'),
  LATCHKEY_NEAR_MARKET: plainText('The default marketplace.'),
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
