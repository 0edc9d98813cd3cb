import type { Operation } from '@latchkey/kernel';
import { caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import type { Samples } from './sample-request.ts';
import { sampleApps } from './set-up-apps.ts';
import type { TestServer } from './test-server.ts';

/** Whether an operation is about the user's own sessions and wallets. */
export function isAboutLoginMethods({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/latchkey/account') || path === '/latchkey/session';
}

let guests = 0;
/** Operations that end all of a user's sessions. */
export const endsAll: readonly string[] = ['DELETE /latchkey/account', 'DELETE /latchkey/account/sessions'];

/**
 * Returns a fresh session, as new login methods require. Operations that end all sessions use a guest, so that alice
 * stays signed in.
 */
export function sessionFor(server: TestServer, { route }: Pick<Operation, 'route'>): Promise<string> {
  return server.aeToken(endsAll.includes(route) ? `DIS#USER#guest${guests++}` : aliceId);
}

/** Creates a session, a wallet and an application of alice's that may be changed. */
export async function setUpLoginMethods(server: TestServer, alice: string) {
  const call = caller(server, alice);
  await server.aeToken(aliceId);
  const sessions: { id: string; isCurrent: boolean }[] = await call('GET', '/latchkey/account/sessions');
  const [wallet] = await call('GET', '/latchkey/account/wallets');
  const app = await call('POST', '/client-apps', {
    name: 'With secrets',
    clientType: 'confidential',
    webhookUrl: 'https://hooks.example/latchkey',
  });
  return {
    sessionId: sessions.find(({ isCurrent }) => !isCurrent)?.id ?? '',
    walletId: String(wallet.id),
    secretAppId: String(app.id),
  };
}

export function sampleLoginMethods({
  sessionId,
  walletId,
  secretAppId,
}: Awaited<ReturnType<typeof setUpLoginMethods>>): Samples {
  return {
    'DELETE /latchkey/account/sessions/{id} id': sessionId,
    'PUT /latchkey/account/wallets/{id}/sign-in id': walletId,
    'DELETE /latchkey/account/wallets/{id}/sign-in id': walletId,
    ...sampleApps(secretAppId),
  };
}
