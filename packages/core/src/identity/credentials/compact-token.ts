/**
 * Whether a text is a compact JWS or JWE exactly as an encoder writes it. Decoders ignore white space, padding and
 * spare bits, so that without this check one token would have many notations.
 */
export function isCompact(token: string, partCount: number): boolean {
  const parts = token.split('.');
  return parts.length === partCount && parts.every(isCanonical);
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}
