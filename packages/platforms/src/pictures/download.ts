import { type Fetch, readBytes, within } from '@latchkey/adapter-kit';
import { PlatformFailed } from '@latchkey/core/ports';

const timeoutMs = 15_000;
/** The maximum size of a stored picture. Larger ones are not read. */
const maxBytes = 262_144;

/**
 * Downloads a picture from a platform. Returns no bytes if it is missing or too large. The URL may contain a bot's token, so errors never
 * include it.
 */
export async function downloadPicture(
  fetch: Fetch,
  url: string,
  title: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const silent = new PlatformFailed('unavailable', `${title} did not return a community’s picture.`, 60);
  try {
    const response = await fetch(url, { redirect: 'error', signal: within(timeoutMs, signal) });
    if (response.ok) return (await readBytes(response, maxBytes)) ?? new Uint8Array();
    await response.body?.cancel();
    if (response.status >= 500 || response.status === 429) throw silent;
    return new Uint8Array();
  } catch {
    signal?.throwIfAborted();
    throw silent;
  }
}
