import { createHash } from 'node:crypto';

/** Returns an id for a bot that does not reveal its token. A new token starts from scratch. */
export function botOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}
