import type { Sealed, Sql } from '@latchkey/db';
import { notSetUp } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';

interface PayerRow {
  id: number;
  private_key: Sealed;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    treasury_payers: PayerRow;
  }
}

type PayerContext = Pick<Context, 'clock' | 'db' | 'evmWallets' | 'keyring' | 'random' | 'safes'>;

const place = 'treasury_payers.private_key:1';

export const treasuriesSealed: readonly SealedColumn[] = [
  { table: 'treasury_payers', column: 'private_key', idColumns: ['id'], placeOf: () => place },
];

/** Returns the key of the account that pays fees: the operator's, or one that was generated for this installation. */
export async function payerKey(ctx: PayerContext): Promise<Uint8Array> {
  const configured = ctx.safes?.payerKey;
  if (configured !== undefined) return configured;
  const fresh = ctx.evmWallets.createOwnerKey(ctx.random).privateKey;
  const sealed = await keepFirst(ctx.db.system, ctx.keyring.seal(place, fresh), ctx.clock());
  fresh.fill(0);
  return ctx.keyring.open(place, sealed);
}

/** Returns the account that needs funds for fees. */
export async function payerAddress(ctx: PayerContext): Promise<string> {
  if (ctx.safes === undefined)
    throw notSetUp(
      'No node is configured for the wallet chain. Set LATCHKEY_WALLET_CHAIN_ID and LATCHKEY_EVM_RPC_URLS.',
    );
  return ctx.safes.payerAddress(await payerKey(ctx));
}

/** Of several that are created concurrently, the first one is kept. */
async function keepFirst(db: Sql, private_key: Sealed, created_at: Date): Promise<Sealed> {
  await db
    .insertInto('treasury_payers')
    .values({ id: 1, private_key, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await db.selectFrom('treasury_payers').select('private_key').executeTakeFirstOrThrow();
  return row.private_key;
}
