import { type Fetch, readBytes, within } from '@latchkey/adapter-kit';
import { PlatformFailed } from '@latchkey/core/ports';

const timeoutMs = 15_000;
/** More than is kept of a picture is read of none. */
const maxBytes = 262_144;

/**
 * Reads a picture from a platform. Empty when it is gone or too large, which is nothing to show. The address may hold the
 * token of a bot, so no error says it.
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
