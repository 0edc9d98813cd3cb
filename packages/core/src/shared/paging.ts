import { createCipheriv, createDecipheriv } from 'node:crypto';
import { AppError, defaultPageSize, type Page, principalId } from '@latchkey/kernel';
import type { Context } from './context.ts';

type PageContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random'>;

const tokenTtlSeconds = 24 * 60 * 60;
const nonceBytes = 12;
const tagBytes = 16;

export interface PageRequest {
  limit?: number | undefined;
  paginationToken?: string | undefined;
}

export interface PageSource<Row> {
  /** Names the list and its filter; a token of one list is refused by every other. */
  list: string;
  /** Reads up to `limit` rows after the cursor, in the order of the cursor. */
  read(after: readonly string[] | undefined, limit: number): Promise<Row[]>;
  cursorOf(row: Row): readonly string[];
}

/** Reads one page and creates the token of the next. One row more than requested shows whether there is a next. */
export async function paginate<Row>(
  ctx: PageContext,
  request: PageRequest,
  source: PageSource<Row>,
): Promise<Page<Row>> {
  const limit = request.limit ?? defaultPageSize;
  const after =
    request.paginationToken === undefined ? undefined : openToken(ctx, source.list, request.paginationToken);
  const rows = await source.read(after, limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items };
  return { items, paginationToken: sealToken(ctx, source.list, source.cursorOf(last)) };
}

// The list and the caller are authenticated with the token without being in it, so it is useless anywhere else.
function bindingOf(ctx: PageContext, list: string): Buffer {
  return Buffer.from(JSON.stringify([list, principalId(ctx.actor)]));
}

function sealToken(ctx: PageContext, list: string, cursor: readonly string[]): string {
  const [current] = ctx.keyring.derive('page-token');
  if (current === undefined) throw new Error('The keyring is empty.');
  const nonce = ctx.random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(bindingOf(ctx, list));
  const expiresAt = Math.floor(ctx.clock().getTime() / 1000) + tokenTtlSeconds;
  const plain = JSON.stringify([expiresAt, ...cursor]);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function openToken(ctx: PageContext, list: string, token: string): string[] {
  const refused = new AppError(
    'INVALID_PAGINATION_TOKEN',
    'The paginationToken has expired or belongs to another list. Start again without it.',
  );
  const bytes = Buffer.from(token, 'base64url');
  // Base64 leaves spare bits at the end: without this check an altered token could still decode to the same bytes.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== token) throw refused;
  for (const { key } of ctx.keyring.derive('page-token')) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes)).setAAD(bindingOf(ctx, list));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const plain = Buffer.concat([
        decipher.update(bytes.subarray(nonceBytes, -tagBytes)),
        decipher.final(),
      ]).toString();
      const [expiresAt, ...cursor] = JSON.parse(plain) as [number, ...string[]];
      if (expiresAt * 1000 < ctx.clock().getTime()) throw refused;
      return cursor;
    } catch {
      // Not sealed with this key; an older one may work.
    }
  }
  throw refused;
}
