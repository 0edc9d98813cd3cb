import type { IncomingMessage } from 'node:http';

const maxBodyBytes = 8 * 1024 * 1024;

/** Returns the bytes of a request, or undefined if there are too many. */
export async function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/**
 * Parses the fields of a request: JSON, a form, or a form with files. Discord's clients put the JSON of a message with files into the field
 * `payload_json`. Returns undefined if it cannot be parsed.
 */
export async function parseBody(bytes: Buffer, contentType = ''): Promise<unknown> {
  if (bytes.length === 0) return {};
  try {
    if (contentType.startsWith('application/x-www-form-urlencoded')) {
      return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
    }
    if (contentType.startsWith('multipart/form-data')) return await parseMultipart(bytes, contentType);
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const isAttachment = (key: string) => /^files?(\[\d+\])?$/.test(key);

async function parseMultipart(bytes: Buffer, contentType: string): Promise<unknown> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  const payload = form.get('payload_json');
  const files = [...form].flatMap(([key, file]) => (typeof file === 'string' ? [] : [{ key, file }]));
  const attachments = files
    .filter(({ key }) => isAttachment(key))
    .map(({ file: { name, size, type } }) => ({ filename: name, size, content_type: type }));
  // A file under a name of its own is a field, such as a list of users.
  const named = await Promise.all(
    files.filter(({ key }) => !isAttachment(key)).map(async ({ key, file }) => [key, await file.text()] as const),
  );
  const fields = Object.fromEntries(named);
  if (typeof payload === 'string') return { ...JSON.parse(payload), attachments, ...fields };
  return { ...Object.fromEntries([...form].filter(([, value]) => typeof value === 'string')), ...fields };
}
