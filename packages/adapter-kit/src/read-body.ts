/**
 * Returns the body of a response; undefined if it is longer than `maxBytes`, in which case the rest is not read. The declared length is not
 * trusted.
 */
export async function readBytes(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the JSON of a response; undefined if it is not JSON, is truncated or is too long. */
export async function readJson(response: Response, maxBytes = 8_000_000): Promise<unknown> {
  try {
    const bytes = await readBytes(response, maxBytes);
    return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
