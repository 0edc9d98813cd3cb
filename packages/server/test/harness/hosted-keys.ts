import { createKeyring, systemRandom } from '@latchkey/db';
import { queryOnce } from '@latchkey/db/testing';

/** A hosted wallet of the platform, whose key the signer should have. */
export async function makeHostedWallet(databaseUrl: string, userId: string, id: string): Promise<void> {
  await queryOnce(
    databaseUrl,
    `insert into hosted_wallets (user_id, platform, id, salt, state, address, chain_id, created_at)
     values ('${userId}', 'discord', '${id}', repeat('${id}', 64), 'made', '0x0${id}', 1, now())`,
  );
}

/** The key of a hosted wallet, sealed with this master key as the signer seals it. */
export async function makeHostedKey(signerUrl: string, masterKey: Buffer, userId: string, id: string): Promise<void> {
  const keyring = createKeyring([{ id: 'k1', key: masterKey }], systemRandom);
  await queryOnce(
    signerUrl,
    `insert into keys values ('${userId}', '${id}', '0x0${id}', '0x04',
       '${keyring.seal(`signer.keys.private_key:${id}/${userId}`, 'a private key')}', now());
     insert into master_key_check values (1, '${keyring.seal('signer.master_key_check.sealed:1', 'latchkey signer')}')
       on conflict do nothing`,
  );
}
