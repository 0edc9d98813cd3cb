import { payerAddress, registrarKey, sealedColumns } from '@latchkey/core';
import { keyPlace } from '@latchkey/core/testing/insides';
import { signerUrlOf, sql } from '@latchkey/db';
import { composeSigner } from '../../src/compose/hosted-wallets.ts';
import type { Call } from './call-api.ts';
import { asSuperuser } from './read-tables.ts';
import type { Keep } from './secret-journey.ts';
import type { World } from './set-up-world.ts';
import type { TestServer } from './test-server.ts';

/** Lets alice sign with her hosted wallet, and opens the keys that only the signer can open. */
export async function useHostedWallet({ server, hostedWallet }: World, call: Call, keep: Keep): Promise<void> {
  const asked = { address: hostedWallet, message: 'Sign in to Example' };
  keep('signature of a hosted wallet', (await call('POST', '/pkp/sign-message', asked)).signature);
  for (const key of await openSignerKeys(server)) keep('key of a hosted wallet', key);
  // Where the operator names no registrar the server makes a key of its own.
  await registrarKey({ ...server.services, walletRegistry: undefined });
  const { safes } = server.services;
  if (safes !== undefined) await payerAddress({ ...server.services, safes: { ...safes, payerKey: undefined } });
  await keepOwnerKeys(server);
}

/** Wallets of communities and organizations that earlier versions made have their keys beside them. */
async function keepOwnerKeys({ services: { db, keyring, random } }: TestServer): Promise<void> {
  for (const { table, column, idColumns, placeOf } of sealedColumns.filter(({ column }) => column === 'owner_key')) {
    const [idColumn = ''] = idColumns;
    const ids = sql<{ id: string }>`select ${sql.ref(idColumn)} as id from ${sql.table(table)}`;
    for (const { id } of (await ids.execute(db.system)).rows) {
      const sealed = keyring.seal(placeOf(id), random.bytes(32));
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed} where ${sql.ref(idColumn)} = ${id}`.execute(
        db.system,
      );
    }
  }
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
