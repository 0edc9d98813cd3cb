import {
  communityKey,
  contextFor,
  eraseAccount,
  removeCommunity,
  type Services,
  selectCommunity,
  touchUser,
  unlinkWallet,
  userKey,
  usersOfWallets,
} from '@latchkey/core';
import { openHeldLocks } from '@latchkey/db';
import { removeSamplePrices } from './seed-prices.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    /** One row once the sample community of `npm start` was put into the database. */
    sample_world: { id: 1; noted_at: Date };
  }
}

/** Notes that the sample community is in this database from now on. */
export async function noteSamples({ db, clock }: Pick<Services, 'clock' | 'db'>): Promise<void> {
  await db.system
    .insertInto('sample_world')
    .values({ id: 1, noted_at: clock() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Removes the sample community, its accounts and its wallets, if an earlier start put them into this database: everybody
 * can make the keys of those wallets. Broken off, the next start goes on with it.
 */
export async function forgetSamples(services: Services): Promise<void> {
  const { db, log } = services;
  if ((await db.system.selectFrom('sample_world').select('id').executeTakeFirst()) === undefined) return;
  const locks = openHeldLocks(db);
  try {
    // Of several processes that start at once, one does it.
    if (!(await locks.take('sample-world'))) return;
    await forgetAll(services);
    await db.system.deleteFrom('sample_world').execute();
    log.info('The sample community of an earlier start is removed, with its accounts and wallets.');
  } finally {
    await locks.close();
  }
}

async function forgetAll(services: Services): Promise<void> {
  // Loaded only where it is used, since it brings a library for wallets.
  const { sampleAccounts, sampleGuild } = await import('@latchkey/twins/sample-accounts');
  const ctx = contextFor(services, { kind: 'system', job: 'sample-world' });
  const id = communityKey('discord', sampleGuild.id);
  if ((await selectCommunity(services.db.system, id)) !== undefined) await removeCommunity(ctx, { id });
  await removeSamplePrices(services);
  const { accounts, addresses } = sampleAccounts();
  for (const account of accounts) await eraseAccount(ctx, userKey(account.platform, account.id));
  // Somebody may have linked such a wallet to an account of their own, which stays.
  for (const { user_id: userId, address } of await usersOfWallets(services.db.system, 'evm', addresses)) {
    const user = contextFor(services, { kind: 'user', userId, platform: '', scopes: [], credential: 'operator-token' });
    await unlinkWallet(user, address, (tx, touched) => touchUser(tx, touched, 'wallet'));
  }
}
