import type { Near } from '@latchkey/core/ports';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';

const timeoutMs = 15_000;
const milliNear = 1_000_000_000_000_000_000_000n;

/** Creates the NEAR client with the server's account; undefined if none is configured. */
export async function composeNear({ near, chainUrls }: Pick<Config, 'near' | 'chainUrls'>): Promise<Near | undefined> {
  const { network, account, privateKey, tokenCode, marketCode } = near;
  if (account === undefined) return undefined;
  const urls = chainUrls.get(`near:${network}`) ?? [];
  const missing = [
    ...(urls.length === 0 ? [`a near:${network}=… address in LATCHKEY_CHAIN_URLS`] : []),
    ...(privateKey === undefined ? ['LATCHKEY_NEAR_PRIVATE_KEY'] : []),
    ...(tokenCode === undefined ? ['LATCHKEY_NEAR_TOKEN_CODE'] : []),
    ...(marketCode === undefined ? ['LATCHKEY_NEAR_MARKET_CODE'] : []),
  ];
  if (missing.length > 0 || privateKey === undefined || tokenCode === undefined || marketCode === undefined)
    throw new Error(`LATCHKEY_NEAR_ACCOUNT is set, so these must be too: ${missing.join(', ')}.`);
  // NEAR's library is large, so only a server with an account there loads it.
  const { createNear } = await import('@latchkey/chains/near/ledger');
  return createNear({
    network,
    urls,
    timeoutMs,
    fetch: fetchTo(urls),
    account: { id: account, secretKey: privateKey },
    setup: {
      tokenCode,
      marketCode,
      defaultMarket: near.market,
      marketFeeBasisPoints: near.marketFeeBasisPoints,
      contractYocto: 2_000n * milliNear,
      accountYocto: 100n * milliNear,
    },
  });
}
