import type { CaughtMail } from '@latchkey/core/ports';
import { fetchTo } from '../egress/index.ts';

const patienceMs = 5_000;

/** Returns the mails in this machine's mail catcher, newest first; undefined if none is running. */
export async function readCaughtMails(mailCatcherPort: number): Promise<CaughtMail[] | undefined> {
  const url = `http://127.0.0.1:${mailCatcherPort + 1}/messages`;
  const response = await fetchTo([url])(url, {
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined);
  if (response === undefined || !response.ok) return undefined;
  const mails = (await response.json()) as (Omit<CaughtMail, 'to'> & { to: string[] | string })[];
  return mails.map((mail) => ({ ...mail, to: [mail.to].flat() }));
}
