/**
 * The body of a response; undefined when it is longer than that, and then it is not read to its end. What a service
 * announces as its length is not relied on.
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

/** The JSON of a response; undefined when it is not JSON, is truncated or is too long. */
export async function readJson(response: Response, maxBytes = 8_000_000): Promise<unknown> {
  try {
    const bytes = await readBytes(response, maxBytes);
    return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
