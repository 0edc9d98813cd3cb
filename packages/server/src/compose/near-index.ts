import { createNearBlocks } from '@latchkey/chains';
import type { NearBlocks } from '@latchkey/core/ports';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';

const timeoutMs = 10_000;

/** Returns the NEAR network to index; undefined if none is configured. */
export function composeNearIndex({
  nearIndex: { network, from },
  chainUrls,
}: Pick<Config, 'nearIndex' | 'chainUrls'>): NearBlocks | undefined {
  if (network === undefined) return undefined;
  const urls = chainUrls.get(`near:${network}`) ?? [];
  if (urls.length === 0)
    throw new Error(`LATCHKEY_NEAR_INDEX is ${network}, so LATCHKEY_CHAIN_URLS must have a near:${network}=… address.`);
  return createNearBlocks({
    network,
    urls,
    timeoutMs,
    fetch: fetchTo(urls),
    startsAfter: from === 0 ? undefined : from,
  });
}
