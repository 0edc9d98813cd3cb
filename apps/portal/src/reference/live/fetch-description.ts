import { compareDescriptions, type OperationChange } from '../../../reference/compare.ts';
import { readDescription } from '../../../reference/read-description.ts';

export type FetchedDescription =
  | { kind: 'failed'; address: string; reason: string }
  | { kind: 'loaded'; address: string; version: string; fetchedAt: Date; changes: readonly OperationChange[] };

const patienceMs = 15_000;

class Unusable extends Error {}

/** Fetches a server's description, and compares it with the one that the pages were built from. */
export async function fetchDescription(address: string, baseUrl: string): Promise<FetchedDescription> {
  try {
    const answer = await get(`${address}/openapi.json?all=true`);
    const described = readDescription(answer);
    if (described === undefined) throw new Unusable('Its response is not an OpenAPI description.');
    const bundled = readDescription(await get(`${baseUrl}apis/openapi.json`));
    if (bundled === undefined) throw new Unusable('The description of this site cannot be read.');
    const changes = compareDescriptions(bundled, described);
    return { kind: 'loaded', address, version: described.info.version, fetchedAt: new Date(), changes };
  } catch (error) {
    const reason = error instanceof Unusable ? error.message : 'Its response cannot be read.';
    return { kind: 'failed', address, reason };
  }
}

async function get(url: string): Promise<unknown> {
  const options: RequestInit = {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(patienceMs),
  };
  const answer = await fetch(url, options).catch((error: unknown) => {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    throw new Unusable(
      isLate
        ? `It did not respond within ${patienceMs / 1000} seconds.`
        : 'It did not respond, or does not allow other sites to read its responses.',
    );
  });
  if (!answer.ok) throw new Unusable(`It returned status ${answer.status}.`);
  return answer.json().catch(() => {
    throw new Unusable('Its response is not JSON.');
  });
}
