import type { FetchJson } from '@latchkey/chains/evm-holdings';
import type { Egress } from '@latchkey/core/ports';

/** Fetches documents that tokens name. Anybody can mint a token, so the address goes through the guarded way out. */
export function createFetchJson(egress: Egress): FetchJson {
  return async (url, { maxBytes, timeoutMs, signal }) => {
    const response = await egress.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      maxResponseBytes: maxBytes,
      timeoutMs,
      ...(signal && { signal }),
    });
    if (response.status !== 200) throw new Error(`The document answered ${response.status}.`);
    return JSON.parse(Buffer.from(response.body).toString('utf8'));
  };
}
