import type { Fields } from '@latchkey/adapter-kit';
import type { HeldToken, Question } from '@latchkey/core/ports';
import { known, type LookUp } from '../../look-up.ts';

/** A collectible, with what decides whether it counts. */
export interface Collectible {
  /** Its mint, or the id that an index knows it by. */
  mint: string;
  name?: string;
  symbol?: string;
  uri?: string;
  /** Creators who signed for it. Anyone can be named without consent, so the others do not count. */
  creators: readonly string[];
  /** The collection that took it in; a claim that the collection did not confirm does not count. */
  collection?: string;
  /** The account of the original: its own, or that of the original it is a print of. */
  masterEdition?: string;
  /** What is behind the URI, where an index already read it. */
  document?: Fields;
}

/** What decides whether a collectible counts for this question. */
export function counts({ reference, details }: Question): (collectible: Collectible) => boolean {
  const by = details?.by ?? 'collection';
  return ({ mint, creators, collection, masterEdition }) => {
    if (by === 'creators') return creators.includes(reference);
    if (by === 'mint') return mint === reference;
    return (by === 'masterEditions' ? masterEdition : collection) === reference;
  };
}

/** The collectible as an answer names it. A document that was asked for and could not be had leaves the metadata out. */
export function toHeldToken(
  { mint, name, symbol, uri, document }: Collectible,
  amount: string,
  documents: LookUp<Fields> | undefined,
): HeldToken {
  const token = { id: mint, amount, ...(uri && { uri }) };
  if (documents === undefined) return token;
  const said = document ?? (uri ? known(documents, uri) : {});
  return said === undefined ? token : { ...token, metadata: { ...(name !== undefined && { name, symbol }), ...said } };
}
