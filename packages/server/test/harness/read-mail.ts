import type { TestServer } from './test-server.ts';

const patienceMs = 20_000;

/** The newest one-time password that was mailed to an address; waits for the mail. */
export async function otpMailedTo(server: Pick<TestServer, 'mail'>, address: string): Promise<string> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const mail = server.mail.messages().find(({ to }) => to.includes(address));
    const code = mail && /\b\d{6}\b/.exec(mail.text)?.[0];
    if (code !== undefined) return code;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`No mail came to ${address}.`);
}
