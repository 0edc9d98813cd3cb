import { createHmac } from 'node:crypto';
import { type HttpEmulator, startHttpEmulator } from '@latchkey/emulators/http-emulator';

/** The tokenproof service with a phone, which responds to the requests that it was shown. */
export interface TokenproofPhone extends HttpEmulator {
  /** Shared with the server, which trusts responses that are signed with it. */
  secret: string;
  /** Opens a link of the app and proves an account. */
  prove(appLink: string, account: string): void;
}

export async function startTokenproofPhone(): Promise<TokenproofPhone> {
  const secret = 'tokenproof-secret';
  const answers = new Map<string, string>();
  const emulator = await startHttpEmulator(({ path }) => {
    const body = answers.get(decodeURIComponent(path.replace('/responses/', '')));
    if (body === undefined) return { status: 404, body: {} };
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return { headers: { 'x-tokenproof-signature': signature }, body };
  });
  return {
    ...emulator,
    secret,
    prove: (appLink, account) => {
      const { searchParams } = new URL(appLink);
      const nonce = searchParams.get('nonce');
      answers.set(
        searchParams.get('request_id') ?? '',
        JSON.stringify({ nonce, status: 'authenticated', account, session_id: 'session-1' }),
      );
    },
  };
}
