import { askAsConsole, readRefusal } from '../shared/api/client.ts';

/** Turns a credential into the session of this browser. The answer sets the cookie, which no script can read. */
export async function openSession(headers: Record<string, string>): Promise<void> {
  const response = await askAsConsole('/latchkey/session', { method: 'POST', headers });
  if (!response.ok) throw await readRefusal(response);
}
