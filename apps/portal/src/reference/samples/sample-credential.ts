import type { OperationModel } from '../../../reference/model.ts';
import { type Credential, credentialKinds, noCredential } from '../try-it/credential.ts';
import type { Part, Prepared } from '../try-it/prepare.ts';

/** Used for a sample if the reader has given no key: a variable replaces it in the text. */
const placeholder = 'key';

/** Returns the credential of an example: the reader's, or a variable for the first kind that the operation accepts. */
export function sampleCredential({ isOpen, credentials }: OperationModel, kept: Credential): Credential {
  if (isOpen) return noCredential;
  if (isGiven(kept)) return kept;
  const kind = kindFor(credentials);
  return kind === undefined ? noCredential : { kind, secret: placeholder };
}

function kindFor(credentials: readonly string[]): Exclude<Credential['kind'], 'none'> | undefined {
  const takes = (...kinds: string[]) => kinds.some((kind) => credentials.includes(kind));
  if (takes('api-key', 'operator-key') && !takes('session')) return 'api-key';
  if (takes('api-key')) return 'api-key';
  if (takes('session', 'operator-app')) return 'ae';
  return takes('access-token', 'client-token') ? 'bearer' : undefined;
}

export function isGiven({ kind, secret }: Credential): boolean {
  return kind !== 'none' && secret.trim() !== '';
}

/** Returns the same request with the reader's own key, in full or masked for display. */
export function withKey(prepared: Prepared, kept: Credential, isWhole: boolean): Prepared {
  if (kept.kind === 'none' || !isGiven(kept)) return prepared;
  const { header, prefix } = credentialKinds[kept.kind];
  const secret = kept.secret.trim();
  const value = `${prefix}${isWhole ? secret : masked(secret)}`;
  const fill = (part: Part): Part =>
    part.name === header && part.secret !== undefined ? { name: header, value } : part;
  return { ...prepared, headers: prepared.headers.map(fill) };
}

function masked(secret: string): string {
  return secret.length < 16 ? '…' : `${secret.slice(0, 4)}…${secret.slice(-4)}`;
}
