/** Returns the bytes of a `data:` URI (RFC 2397), as `fetch` would read them; undefined for anything else. */
export function readDataUri(uri: string): Uint8Array | undefined {
  const [, type, text] = /^data:([^,#]*),([^#]*)/i.exec(uri) ?? [];
  if (type === undefined || text === undefined) return undefined;
  const bytes = decodePercent(text);
  return /;\s*base64\s*$/i.test(type) ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
}

function decodePercent(text: string): Buffer {
  const written = Buffer.from(text, 'utf8').toString('latin1');
  const read = written.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(read, 'latin1');
}
