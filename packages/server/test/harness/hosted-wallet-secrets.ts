import { payerAddress, registrarKey } from '@latchkey/core';
import { keyPlace } from '@latchkey/core/testing/insides';
import { signerUrlOf } from '@latchkey/db';
import { composeSigner } from '../../src/compose/hosted-wallets.ts';
import type { Call } from './call-api.ts';
import { asSuperuser } from './read-tables.ts';
import type { Keep } from './secret-journey.ts';
import type { World } from './set-up-world.ts';
import type { TestServer } from './test-server.ts';

/** Signs with alice's hosted wallet, and decrypts the keys that only the signer can. */
export async function useHostedWallet({ server, hostedWallet }: World, call: Call, keep: Keep): Promise<void> {
  const request = { address: hostedWallet, message: 'Sign in to Example' };
  keep('signature of a hosted wallet', (await call('POST', '/pkp/sign-message', request)).signature);
  for (const key of await openSignerKeys(server)) keep('key of a hosted wallet', key);
  // Without a configured registrar, the server generates its own key.
  await registrarKey({ ...server.services, walletRegistry: undefined });
  const { safes } = server.services;
  if (safes !== undefined) await payerAddress({ ...server.services, safes: { ...safes, payerKey: undefined } });
}

async function openSignerKeys(server: TestServer): Promise<string[]> {
  const { config, log, databaseUrl } = server;
  const { ctx, close } = await composeSigner(config, { log, databaseUrl: signerUrlOf(databaseUrl) });
  try {
    const rows = await asSuperuser(server, (query) => query('select * from signer.keys'));
    return rows.map(({ wallet_id: walletId, user_id: userId, private_key: sealed }) => {
      const place = keyPlace({ walletId: String(walletId), userId: String(userId) });
      return ctx.keyring.open(place, String(sealed)).toString('hex');
    });
  } finally {
    await close();
  }
}
