import type { Sealed } from '@latchkey/db';
import { base58 } from '@scure/base';
import { ed25519Texts, generateKey } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';

export interface NewKeys {
  publicKey: string;
  /** In base 58, shown to the developer once. */
  privateKey: string;
  sealed: Sealed;
}

/**
 * Creates a key pair for a mini-app. The private half is the seed followed by the public half, 64 bytes, as in NaCl.
 */
export function newKeys(ctx: Pick<Context, 'keyring' | 'random'>, appId: string): NewKeys {
  const pair = generateKey(ctx.random, 'action-ed25519');
  const { d = '', x = '' } = pair.privateKey.export({ format: 'jwk' });
  const bytes = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  return {
    publicKey: ed25519Texts(pair.publicKey).base58,
    privateKey: base58.encode(bytes),
    sealed: ctx.keyring.seal(keyPlace(appId), bytes),
  };
}

export function openKey(ctx: Pick<Context, 'keyring'>, appId: string, sealed: Sealed): Uint8Array {
  return ctx.keyring.open(keyPlace(appId), sealed);
}

function keyPlace(appId: string): string {
  return `mini_apps.private_key:${appId}`;
}

/** The sealed column of the keys, for a change of the master key. */
export const miniAppKeysSealed: readonly SealedColumn[] = [
  { table: 'mini_apps', column: 'private_key', idColumns: ['id'], placeOf: (id = '') => keyPlace(id) },
];
