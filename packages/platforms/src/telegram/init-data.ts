import { createHmac, timingSafeEqual } from 'node:crypto';
import { Malformed } from '@latchkey/adapter-kit';
import type { TelegramInitData } from '@latchkey/core/ports';
import { parsePerson } from './member.ts';

const longest = 16_384;

/**
 * Reads the init data of a Mini App (https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app). Telegram signs it
 * with a key derived from the bot token, so nobody else can say who opened the page. Whether it is recent is for the caller to check.
 */
export function readInitData(initData: string, token: string): TelegramInitData | undefined {
  if (initData.length > longest) return undefined;
  const fields = [...new URLSearchParams(initData)];
  // A field that is there twice could be read in two ways.
  if (new Set(fields.map(([name]) => name)).size !== fields.length) return undefined;
  const values = new Map(fields);
  const given = values.get('hash') ?? '';
  const checked = fields
    .filter(([name]) => name !== 'hash')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const key = createHmac('sha256', 'WebAppData').update(token).digest();
  const expected = createHmac('sha256', key).update(checked).digest();
  if (!/^[0-9a-f]{64}$/.test(given) || !timingSafeEqual(Buffer.from(given, 'hex'), expected)) return undefined;
  return parseSigned(values);
}

function parseSigned(values: ReadonlyMap<string, string>): TelegramInitData | undefined {
  const seconds = Number(values.get('auth_date'));
  if (!Number.isSafeInteger(seconds) || seconds <= 0) return undefined;
  try {
    const user: unknown = JSON.parse(values.get('user') ?? '');
    // Telegram leaves `is_bot` out where it is false.
    const person = parsePerson(typeof user === 'object' && user !== null ? { is_bot: false, ...user } : user);
    return { user: person, authDate: new Date(seconds * 1000) };
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
