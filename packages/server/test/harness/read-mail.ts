import { until } from '@latchkey/test-kit';
import type { TestServer } from './test-server.ts';

/** Returns the newest one-time password that was mailed to an address; waits for the mail. */
export function otpMailedTo(server: Pick<TestServer, 'mail'>, address: string): Promise<string> {
  return until(`a mail comes to ${address}`, () => {
    const mail = server.mail.messages().find(({ to }) => to.includes(address));
    return mail && /\b\d{6}\b/.exec(mail.text)?.[0];
  });
}
