import { base58, base64, type Coder } from '@scure/base';

/** A generator that is deterministic for a seed, so that a failing mutation can be reproduced. */
export interface SeededRandom {
  /** Returns an integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Uint8Array;
}

export function seededRandom(seed: string): SeededRandom {
  let state = 0x811c9dc5;
  for (const letter of seed) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('There is nothing to pick from an empty list.');
    return list[below(list.length)] as T; // The index is within the list.
  };
  return { below, pick, bytes: (length) => Uint8Array.from({ length }, () => below(256)) };
}

type Change<T> = (random: SeededRandom, value: T) => T;

/** Applies changes until the value differs, because some changes leave some values unchanged. */
function changeUntil<T>(
  random: SeededRandom,
  value: T,
  changes: readonly Change<T>[],
  same: (changed: T) => boolean,
): T {
  for (let tries = 0; tries < 100; tries++) {
    const changed = random.pick(changes)(random, value);
    if (!same(changed)) return changed;
  }
  throw new Error('No change made this value another one; give the mutator something longer.');
}

const byteChanges: readonly Change<Uint8Array>[] = [
  (random, bytes) => {
    const place = random.below(bytes.length);
    return bytes.map((byte, index) => (index === place ? byte ^ (1 << random.below(8)) : byte));
  },
  (random, bytes) => {
    const place = random.below(bytes.length);
    return bytes.map((byte, index) => (index === place ? random.below(256) : byte));
  },
  (random, bytes) => bytes.subarray(0, random.below(bytes.length)),
  (random, bytes) => bytes.subarray(1 + random.below(bytes.length)),
  (random, bytes) => Uint8Array.of(...bytes, ...random.bytes(1 + random.below(4))),
  (random, bytes) => Uint8Array.of(...random.bytes(1 + random.below(4)), ...bytes),
  (_random, bytes) => bytes.toReversed(),
  (random, bytes) => {
    const half = bytes.length >> 1;
    const [first, second] = [bytes.subarray(0, half), bytes.subarray(half)];
    return random.below(2) === 0 ? Uint8Array.of(...second, ...first) : Uint8Array.of(...first, ...first);
  },
  (random, bytes) => bytes.fill(random.pick([0, 0xff]), random.below(bytes.length)),
  (random, bytes) => random.bytes(bytes.length),
];

/** Returns other bytes: a bit or a byte changed, cut, extended, reversed, halves swapped, filled, or all new. Never the same. */
export function mutateBytes(random: SeededRandom, bytes: Uint8Array): Uint8Array {
  const same = (changed: Uint8Array) =>
    changed.length === bytes.length && changed.every((byte, place) => byte === bytes[place]);
  return changeUntil(
    random,
    bytes,
    byteChanges.map((change) => (source, value) => change(source, value.slice())),
    same,
  );
}

const strangeLetters = ['\u0000', ' ', '\n', '\u00e9', '\u200b', '\u202e', '\uff21', '\u{1f511}', '\ud800', 'x', '0'];

function splice(text: string, place: number, removed: number, added: string): string {
  return text.slice(0, place) + added + text.slice(place + removed);
}

const textChanges: readonly Change<string>[] = [
  (random, text) => splice(text, random.below(text.length), 1, random.pick(strangeLetters)),
  (random, text) => splice(text, random.below(text.length + 1), 0, random.pick(strangeLetters)),
  (random, text) => splice(text, random.below(text.length), 1, ''),
  (random, text) => text.slice(0, random.below(text.length)),
  (random, text) => text.slice(1 + random.below(text.length)),
  (random, text) => text + random.pick([' ', '\n', '\r\n', '\u0000', text]),
  (random, text) => random.pick([' ', '\n', '\ufeff', '\u0000']) + text,
  (random, text) => {
    const place = random.below(text.length);
    return splice(text, place, 1, String.fromCharCode(text.charCodeAt(place) ^ (1 << random.below(7))));
  },
  (random, text) => {
    const place = random.below(text.length);
    return splice(text, place, 2, `${text[place + 1] ?? ''}${text[place] ?? ''}`);
  },
  (_random, text) => text.replaceAll('\n', '\r\n'),
  (random, text) => random.pick([text.toUpperCase(), text.toLowerCase(), text.normalize('NFD'), text.trim()]),
  () => '',
];

/** Returns another text: letters changed, lost, added or swapped, line ends, case, Unicode forms, empty. Never the same. */
export function mutateText(random: SeededRandom, text: string): string {
  if (text === '') return random.pick(strangeLetters);
  return changeUntil(random, text, textChanges, (changed) => changed === text);
}

/** Decodes text, changes the bytes and encodes them again, with a new checksum if there is one. */
export function mutateEncoded(random: SeededRandom, text: string, coder: Coder<Uint8Array, string>): string {
  return coder.encode(mutateBytes(random, coder.decode(text)));
}

function changeLetter(random: SeededRandom, text: string, alphabet: string): string {
  const place = random.below(text.length);
  const others = Array.from(alphabet).filter((letter) => letter !== text[place]);
  return splice(text, place, 1, random.pick(others));
}

const hexCoder: Coder<Uint8Array, string> = {
  encode: (bytes) => Buffer.from(bytes).toString('hex'),
  decode: (text) => new Uint8Array(Buffer.from(text, 'hex')),
};

/** Returns hexadecimal text of other bytes or of none. Keeps a leading `0x` and the case. Never the same bytes. */
export function mutateHex(random: SeededRandom, hex: string): string {
  const prefix = hex.startsWith('0x') ? '0x' : '';
  const digits = hex.slice(prefix.length);
  const changed =
    random.below(4) > 0
      ? mutateEncoded(random, digits, hexCoder)
      : random.pick([`${digits}0`, digits.slice(1), splice(digits, random.below(digits.length), 1, 'g')]);
  return prefix + (digits === digits.toUpperCase() ? changed.toUpperCase() : changed);
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Returns Base58 text of other bytes, or with letters outside its alphabet. Never the same bytes. */
export function mutateBase58(random: SeededRandom, text: string): string {
  if (random.below(2) === 0) return mutateEncoded(random, text, base58);
  return random.pick([
    () => changeLetter(random, text, base58Alphabet),
    () => changeLetter(random, text, '0OIl+/=_-'),
    () => `1${text}`,
    () => text.slice(0, -1),
    () => text + random.pick(Array.from(base58Alphabet)),
  ])();
}

/** Returns Base64 text of other bytes, or with letters outside its alphabet. Never the same bytes. */
export function mutateBase64(random: SeededRandom, text: string): string {
  if (random.below(4) > 0) return mutateEncoded(random, text, base64);
  const place = random.below(text.replace(/=+$/, '').length);
  return splice(text, place, 1, random.pick(['*', '.', '\u0000', '%', '=', '']));
}

/** Sets an unused bit after the last byte of base64, which some decoders ignore. */
function setLooseBit(text: string): string {
  return text.replace(/[AQgw](?==+$)/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 1));
}

const respellings: readonly Change<string>[] = [
  (_random, text) => ` ${text}`,
  (random, text) => text + random.pick([' ', '\n', '\t', '\u0000', '=']),
  (random, text) => splice(text, 1 + random.below(text.length), 0, random.pick([' ', '\n', '_', '-'])),
  (_random, text) => (text.startsWith('0x') ? text.slice(2) : `0x${text}`),
  (_random, text) => text.replace(/^0x/, '0X'),
  (random, text) => random.pick([text.toUpperCase(), text.toLowerCase()]),
  (random, text) => random.pick([`0${text}`, `00${text}`, `1${text}`, `"${text}"`]),
  (_random, text) => text.replace(/=+$/, ''),
  (_random, text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  (_random, text) => text.replaceAll('-', '+').replaceAll('_', '/'),
  (_random, text) => encodeURIComponent(text),
  (_random, text) => setLooseBit(text),
];

/** Returns another encoding that a lax decoder would read as the same bytes: whitespace, case, prefix, padding, unused bits. */
export function respell(random: SeededRandom, text: string): string {
  return changeUntil(random, text, respellings, (changed) => changed === text);
}
