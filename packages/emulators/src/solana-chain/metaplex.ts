import {
  type Address,
  address,
  type EncodedAccount,
  getAddressEncoder,
  getProgramDerivedAddress,
  getUtf8Encoder,
  lamports,
} from '@solana/kit';

/** The on-chain metadata of a Metaplex token. */
export interface TokenDescription {
  mint: string;
  name?: string;
  symbol?: string;
  uri?: string;
  creators?: readonly { address: string; verified: boolean; share: number }[];
  /** 0 non-fungible, 1 fungible asset, 2 fungible, 3 print, 4 programmable non-fungible. Old accounts lack it. */
  tokenStandard?: number;
  collection?: { key: string; verified: boolean };
}

const program = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const updateAuthority = address('11111111111111111111111111111111');

/** Returns the account of Metaplex's program with the metadata of a mint. */
export async function metadataAccount(token: TokenDescription): Promise<EncodedAccount> {
  const { creators, tokenStandard, collection } = token;
  const data = [
    ...[4, ...key(updateAuthority), ...key(token.mint)],
    ...text(token.name ?? '', 32),
    ...text(token.symbol ?? '', 10),
    ...text(token.uri ?? '', 200),
    ...u16(500),
    ...option(creators, (list) => [
      ...u32(list.length),
      ...list.flatMap((creator) => [...key(creator.address), Number(creator.verified), creator.share]),
    ]),
    // Primary sale happened: no; mutable: yes.
    ...[0, 1],
    ...option(255, (nonce) => [nonce]),
    ...option(tokenStandard, (standard) => [standard]),
    ...option(collection, ({ key: of, verified }) => [Number(verified), ...key(of)]),
    // No uses, no size, no rules; the program leaves unused space after them.
    ...Array<number>(100).fill(0),
  ];
  return programAccount(await pda(token.mint), data);
}

/** Returns the account that makes a mint an original, which may have prints. */
export async function masterEditionAccount(mint: string): Promise<EncodedAccount> {
  return programAccount(await pda(mint, 'edition'), [6, ...Array<number>(8).fill(0), 1, ...Array<number>(8).fill(0)]);
}

/** Returns the account that makes a mint a print of an original. */
export async function printAccount(mint: string, originalMint: string, number: number): Promise<EncodedAccount> {
  const original = await pda(originalMint, 'edition');
  return programAccount(await pda(mint, 'edition'), [1, ...key(original), ...u32(number), ...u32(0)]);
}

async function pda(mint: string, suffix?: string): Promise<Address> {
  const seeds = ['metadata', getAddressEncoder().encode(program), getAddressEncoder().encode(address(mint))];
  const [found] = await getProgramDerivedAddress({
    programAddress: program,
    seeds: suffix === undefined ? seeds : [...seeds, suffix],
  });
  return found;
}

function programAccount(at: Address, data: readonly number[]): EncodedAccount {
  const bytes = Uint8Array.from(data);
  const rent = lamports(10_000_000n);
  return {
    address: at,
    data: bytes,
    executable: false,
    lamports: rent,
    programAddress: program,
    space: BigInt(bytes.length),
  };
}

function key(value: string): number[] {
  return [...getAddressEncoder().encode(address(value))];
}

function u16(value: number): number[] {
  return [value & 255, value >> 8];
}

function u32(value: number): number[] {
  return [...u16(value & 0xffff), ...u16(value >>> 16)];
}

// The program pads strings with zeros to their maximum length.
function text(value: string, room: number): number[] {
  const bytes = [...getUtf8Encoder().encode(value)];
  return [...u32(room), ...bytes, ...Array<number>(room - bytes.length).fill(0)];
}

function option<Value>(value: Value | undefined, write: (value: Value) => number[]): number[] {
  return value === undefined ? [0] : [1, ...write(value)];
}
