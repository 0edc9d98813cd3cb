import { newClient } from './connection/clients.ts';

const patienceMs = 5_000;

/** Opens a connection and closes it again. Returns the error, if any. */
export async function tryConnection(url: string): Promise<Error | undefined> {
  const client = newClient(url, { application_name: 'latchkey-start', connectionTimeoutMillis: patienceMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}
