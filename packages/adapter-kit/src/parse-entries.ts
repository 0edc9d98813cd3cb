import { observed } from '@latchkey/kernel';
import { listOf, Malformed } from './read-fields.ts';

export interface EntryKind<Entry> {
  /** The name of the service in metrics and health: `discord`, `evm:1`. */
  source: string;
  /** What one entry is, in the singular: `member`, `role`, `transfer`. */
  kind: string;
  /** The identity of an entry. Equal entries with one id count once; different ones are malformed. */
  idOf?: (entry: Entry) => string;
}

export interface Entries<Entry> {
  entries: Entry[];
  /** How many were skipped. What they were about is unknown, never absent. */
  malformed: number;
}

/**
 * Parses a list entry by entry. An entry that `parse` refuses is skipped and counted, without affecting the others. Throws `Malformed` if
 * there is no list at all.
 */
export function parseEntries<Entry>(
  list: unknown,
  about: EntryKind<Entry>,
  parse: (value: unknown) => Entry,
): Entries<Entry> {
  const { source, kind, idOf } = about;
  const byId = new Map<string | number, { entry: Entry; text: string } | 'contradictory'>();
  let malformed = 0;
  for (const [place, value] of listOf(list, `the list of ${kind}s`).entries()) {
    const entry = parseEntry(value, about, parse);
    if (entry === undefined) {
      malformed += 1;
      continue;
    }
    const id = idOf?.(entry.parsed) ?? place;
    const text = idOf === undefined ? '' : JSON.stringify(value);
    const known = byId.get(id);
    if (known === undefined) byId.set(id, { entry: entry.parsed, text });
    else if (known === 'contradictory' || known.text !== text) {
      byId.set(id, 'contradictory');
      malformed += 1;
      observed.malformedEntry.record({ source, kind });
    }
  }
  return {
    entries: [...byId.values()].flatMap((known) => (known === 'contradictory' ? [] : [known.entry])),
    malformed,
  };
}

/**
 * Returns the entries without duplicate ids: lists that change while they are paged show some twice. Throws `Malformed` if two entries with
 * the same id differ.
 */
export function distinct<Entry>(entries: readonly Entry[], idOf: (entry: Entry) => string): Entry[] {
  const byId = new Map<string, Entry>();
  for (const entry of entries) {
    const id = idOf(entry);
    const known = byId.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(entry))
      throw new Malformed('two entries of one id differ');
    byId.set(id, entry);
  }
  return [...byId.values()];
}

/** Parses a single value, such as an event. Returns undefined, and counts it, if it is malformed. */
export function parseEntry<Entry>(
  value: unknown,
  { source, kind }: Pick<EntryKind<Entry>, 'source' | 'kind'>,
  parse: (value: unknown) => Entry,
): { parsed: Entry } | undefined {
  try {
    return { parsed: parse(value) };
  } catch (error) {
    // Parsers only read, so an error about the value means that the entry does not match the published format.
    if (!isAboutValue(error)) throw error;
    observed.malformedEntry.record({ source, kind });
    return undefined;
  }
}

function isAboutValue(error: unknown): boolean {
  return [Malformed, TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** Parses an optional boolean. */
export function flagOf(value: unknown, what: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw new Malformed(`${what} is not true or false`);
  return value ?? false;
}
