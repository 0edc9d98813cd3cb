import type { Finding } from '@latchkey/core';
import { fetchTo } from '../../egress/index.ts';

const patienceMs = 10_000;

/** Asks every JSON-RPC endpoint of an EVM chain which chain it serves. Addresses may hold keys: only hosts are named. */
export async function askEndpoints(evmRpcUrls: ReadonlyMap<string, readonly string[]>): Promise<Finding[]> {
  const endpoints = [...evmRpcUrls].flatMap(([chain, urls]) => urls.map((url) => ({ chain, url })));
  return Promise.all(endpoints.map(({ chain, url }) => askEndpoint(chain, url)));
}

async function askEndpoint(chain: string, url: string): Promise<Finding> {
  const { host } = new URL(url);
  const about = `chain ${chain}`;
  try {
    const answered = await askChainId(url);
    if (answered === chain) return { level: 'ok', about, says: `${host} answers.` };
    const says = `${host} serves chain ${answered}. Correct the entry in LATCHKEY_EVM_RPC_URLS: nothing it says would count.`;
    return { level: 'fail', about, says };
  } catch (error) {
    const says = `${host} does not answer (${reasonOf(error)}). Check the address and its key, or name another endpoint.`;
    return { level: 'fail', about, says };
  }
}

async function askChainId(url: string): Promise<string> {
  const response = await fetchTo([url])(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const { result } = Object(await response.json());
  if (typeof result !== 'string' || !/^0x[0-9a-f]+$/i.test(result)) throw new Error('it names no chain');
  return BigInt(result).toString();
}

/** The message of `fetch` says nothing; that of its cause may name the address, so only its code is told. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  const code = Object(error.cause).code;
  if (typeof code === 'string') return code;
  if (error.name === 'TimeoutError') return `nothing within ${patienceMs / 1000} s`;
  return error instanceof SyntaxError ? 'not JSON' : error.message;
}
