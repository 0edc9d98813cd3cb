import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';
import { getRegistry } from './make-wallet.ts';
import { getRegistrarKey } from './queries.ts';

/** The dependencies for finding the registrar's key. */
export type RegistrarContext = Pick<Context, 'clock' | 'db' | 'evmWallets' | 'keyring' | 'random' | 'walletRegistry'>;

const place = 'registrar_keys.private_key:1';

export const hostedWalletsSealed: readonly SealedColumn[] = [
  { table: 'registrar_keys', column: 'private_key', idColumns: ['id'], placeOf: () => place },
];

/** Returns the key that writes to the registry: the operator's, or one that was generated for this installation. */
export async function registrarKey(ctx: RegistrarContext): Promise<Uint8Array> {
  const configured = ctx.walletRegistry?.registrarKey;
  if (configured !== undefined) return configured;
  const fresh = ctx.evmWallets.createOwnerKey(ctx.random).privateKey;
  const sealed = await getRegistrarKey(ctx.db.system, ctx.keyring.seal(place, fresh), ctx.clock());
  return ctx.keyring.open(place, sealed);
}

/** Returns the account that must be the registrar of the contract, and have funds for its fees. */
export async function registrarAddress(ctx: RegistrarContext): Promise<string> {
  return getRegistry(ctx).registrarAddress(await registrarKey(ctx));
}
