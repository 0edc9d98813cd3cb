import { metadataProgram } from './program-addresses.ts';
import { ByteReader } from './read-bytes.ts';
import type { Account } from './rpc.ts';

/** What a Metaplex token says of itself on the chain. */
export interface TokenMetadata {
  mint: string;
  name: string;
  symbol: string;
  uri: string;
  /** Those who signed for it. Anybody can name anybody, so the others do not count. */
  creators: readonly string[];
  /** The collection that took it in; a claim that the collection did not confirm does not count. */
  collection?: string;
  /** Whether the program itself says it is one of a kind, or a currency; undefined where it says nothing. */
  isFungible?: boolean;
}

const metadataKey = 4;
const editionKey = 1;
const fungible = 2;

/** Reads a metadata account; undefined for any other account. */
export function readMetadata({ program, data }: Account): TokenMetadata | undefined {
  const reader = new ByteReader(data);
  if (program !== metadataProgram || reader.isAtEnd || reader.u8() !== metadataKey) return undefined;
  const mint = reader.skip(32).address();
  const [name, symbol, uri] = [reader.text(), reader.text(), reader.text()];
  const feeLength = 2;
  const named = reader.skip(feeLength).optional(() => reader.list(() => readCreator(reader))) ?? [];
  const flagsLength = 2;
  reader.skip(flagsLength);
  const creators = named.filter(({ isVerified }) => isVerified).map(({ address }) => address);
  return { mint, name, symbol, uri, creators, ...readAdditions(reader) };
}

function readCreator(reader: ByteReader) {
  const creator = { address: reader.address(), isVerified: reader.bool() };
  const shareLength = 1;
  reader.skip(shareLength);
  return creator;
}

// Fields that later versions of the program put behind the first ones. Accounts of older versions have zeros there.
function readAdditions(reader: ByteReader): Pick<TokenMetadata, 'collection' | 'isFungible'> {
  if (reader.isAtEnd) return {};
  reader.optional(() => reader.u8());
  const standard = reader.isAtEnd ? undefined : reader.optional(() => reader.u8());
  const collection = reader.isAtEnd
    ? undefined
    : reader.optional(() => ({ isVerified: reader.bool(), key: reader.address() }));
  return {
    ...(standard !== undefined && { isFungible: standard === fungible }),
    ...(collection?.isVerified && { collection: collection.key }),
  };
}

/** The original that this account is a print of; undefined when it is none. */
export function readOriginal({ program, data }: Account): string | undefined {
  const reader = new ByteReader(data);
  if (program !== metadataProgram || reader.isAtEnd || reader.u8() !== editionKey) return undefined;
  return reader.address();
}
