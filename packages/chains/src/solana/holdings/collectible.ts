import type { Fields } from '@latchkey/adapter-kit';
import type { HeldToken, Question } from '@latchkey/core/ports';
import { known, type LookUp } from '../../look-up.ts';

/** A collectible, with the fields that decide whether it counts. */
export interface Collectible {
  /** Its mint, or its id in an index. */
  mint: string;
  name?: string;
  symbol?: string;
  uri?: string;
  /** Creators who signed for it. Anyone can be listed without consent, so others do not count. */
  creators: readonly string[];
  /** The collection that confirmed it. An unconfirmed claim does not count. */
  collection?: string;
  /** The account of the original: its own, or that of the original it is a print of. */
  masterEdition?: string;
  /** The document behind the URI, if an index already read it. */
  document?: Fields;
}

/** Returns whether a collectible counts for this question. */
export function counts({ reference, details }: Question): (collectible: Collectible) => boolean {
  const by = details?.by ?? 'collection';
  return ({ mint, creators, collection, masterEdition }) => {
    if (by === 'creators') return creators.includes(reference);
    if (by === 'mint') return mint === reference;
    return (by === 'masterEditions' ? masterEdition : collection) === reference;
  };
}

/** Converts a collectible to a held token. If a required document could not be read, the metadata is omitted. */
export function toHeldToken(
  { mint, name, symbol, uri, document }: Collectible,
  amount: string,
  documents: LookUp<Fields> | undefined,
): HeldToken {
  const token = { id: mint, amount, ...(uri && { uri }) };
  if (documents === undefined) return token;
  const reply = document ?? (uri ? known(documents, uri) : {});
  return reply === undefined
    ? token
    : { ...token, metadata: { ...(name !== undefined && { name, symbol }), ...reply } };
}
