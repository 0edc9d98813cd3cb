import { sealedColumns } from '@latchkey/core';
import { sql } from '@latchkey/db';
import type { TestServer } from './test-server.ts';

/** Something that must not occur in plain text anywhere. */
export interface Secret {
  name: string;
  value: Uint8Array | string;
}

/** A place to search: a display name, and the text. */
export interface Place {
  where: string;
  text: string;
}

/** Returns every place that contains a secret, in any encoding. */
export function findSecrets(secrets: readonly Secret[], places: readonly Place[]): string[] {
  const searches = secrets.map(({ name, value }) => ({ name, patterns: writingsOf(value) }));
  return places.flatMap(({ where, text }) =>
    searches
      .filter(({ patterns }) =>
        patterns.some((pattern) => (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text))),
      )
      .map(({ name }) => `${name} in ${where}: ${text.slice(0, 200)}`),
  );
}

const shortLength = 12;

/** The encodings of a secret: plain, for a URL, as hex, and as base64 at any offset. */
function writingsOf(value: Uint8Array | string): (string | RegExp)[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((offset) => base64From(bytes, offset));
  const encoded = [hex, hex.toUpperCase(), ...base64, ...base64.map(toUrlSafe)];
  if (typeof value !== 'string') return encoded;
  // Six digits also occur by chance inside longer numbers and ids, and as the microseconds of a time.
  if (value.length < shortLength) return [new RegExp(`(?<![0-9A-Za-z]|:\\d\\d\\.)${value}(?![0-9A-Za-z])`), ...encoded];
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), ...encoded];
}

/** Returns the base64 of the bytes at this offset, without the characters that depend on the surrounding bytes. */
function base64From(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function toUrlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

/** Decrypts every sealed value of the database, as only the server can. */
export async function openSealedValues({ services }: TestServer): Promise<Secret[]> {
  const opened = sealedColumns.map(async ({ table, column, idColumns, placeOf }): Promise<Secret[]> => {
    const ids = sql.join(idColumns.map((id) => sql`${sql.ref(id)}::text`));
    const { rows } = await sql<{ ids: string[]; sealed: string }>`
      select array[${ids}] as ids, ${sql.ref(column)} as sealed from ${sql.table(table)}
      where ${sql.ref(column)} is not null`.execute(services.db.system);
    return rows.flatMap((row) => {
      const value = services.keyring.open(placeOf(...row.ids), row.sealed);
      const text = value.toString('utf8');
      // Nothing is known yet about a user who starts to sign in, and an empty value cannot be searched for.
      if (text === '{}') return [];
      const isText = Buffer.from(text).equals(value);
      return [{ name: `${table}.${column}`, value: isText ? text : value }];
    });
  });
  return (await Promise.all(opened)).flat();
}
