import { fetchAsConsole } from '../shared/api/client.ts';

/** Turns a credential into the session of this browser. The answer sets the cookie, which no script can read. */
export async function openSession(headers: Record<string, string>): Promise<void> {
  const response = await fetchAsConsole('/latchkey/session', { method: 'POST', headers });
  if (response.ok) return;
  const { error }: { error?: { message?: string } } = await response.json().catch(() => ({}));
  throw new Error(error?.message ?? `The server answered ${response.status}.`);
}
