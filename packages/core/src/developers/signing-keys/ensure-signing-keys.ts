import { generateKey } from './generate-key.ts';
import { publicPem } from './key-formats.ts';
import { hasCurrent, insertCurrent, type SigningKeyRow } from './queries.ts';
import { type KeyContext, privateKeyPlace, type SigningPurpose, signingPurposes } from './signing-key.ts';

/** Makes the keys that are missing. Many processes may do this at once: the first to insert wins, the others use its key. */
export async function ensureSigningKeys(ctx: KeyContext): Promise<void> {
  for (const purpose of signingPurposes) {
    if (!(await hasCurrent(ctx.db.system, purpose))) await insertCurrent(ctx.db.system, newKeyRow(ctx, purpose));
  }
}

/** A new key as it is stored: the private half sealed for its own row. */
export function newKeyRow(ctx: KeyContext, purpose: SigningPurpose): SigningKeyRow {
  const { kid, publicKey, privateKey } = generateKey(ctx.random, purpose);
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    kid,
    purpose,
    public_key: publicPem(publicKey),
    private_key: ctx.keyring.seal(privateKeyPlace(kid), pkcs8),
    created_at: ctx.clock(),
    retired_at: null,
  };
}
