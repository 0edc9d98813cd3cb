import type { SealedColumn } from '@latchkey/core';
import { BackupError, type Keyring, SealError } from '@latchkey/db';

interface Queryable {
  query(text: string): Promise<{ rows: { ids: string[]; sealed: string }[] }>;
}

const batch = 1_000;

/** Decrypts every sealed value of these columns, and returns how many there are. Refuses if one stays closed. */
export async function openSealedValues(
  client: Queryable,
  keyring: Pick<Keyring, 'open'>,
  columns: readonly SealedColumn[],
): Promise<number> {
  let opened = 0;
  const closed: string[] = [];
  for (const { table, column, idColumns, placeOf } of columns) {
    const ids = idColumns.map((id) => `${quoted(id)}::text`).join(', ');
    await client.query(
      `declare sealed no scroll cursor for select array[${ids}] as ids, ${quoted(column)}::text as sealed
       from ${quoted(table)} where ${quoted(column)} is not null`,
    );
    for (;;) {
      const { rows } = await client.query(`fetch ${batch} from sealed`);
      for (const row of rows) {
        const place = placeOf(...row.ids);
        if (opens(keyring, place, row.sealed)) opened += 1;
        else closed.push(place);
      }
      if (rows.length < batch) break;
    }
    await client.query('close sealed');
  }
  if (closed.length > 0)
    throw new BackupError(
      `${closed.length} encrypted values cannot be decrypted with any of the master keys, for example ${closed.slice(0, 3).join(', ')}. Add the older keys after the current one.`,
    );
  return opened;
}

function opens(keyring: Pick<Keyring, 'open'>, place: string, sealed: string): boolean {
  try {
    keyring.open(place, sealed);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
