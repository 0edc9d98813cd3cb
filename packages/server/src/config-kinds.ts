import { isIP } from 'node:net';
import { isDatabaseUrl } from '@latchkey/db/database-url';

/** One environment variable: its meaning, how to parse it, and its default. */
export interface Variable<Value> {
  meaning: string;
  fallback: string;
  /**
   * How much of it the operator's pages show: all, or only the hosts of URLs, which may contain keys. By default,
   * nothing.
   */
  shown?: 'all' | 'hosts' | 'database hosts';
  read(text: string): Value;
}

export class ConfigError extends Error {}

/** A text that may be a secret and is never shown. */
export function text(meaning: string, fallback = ''): Variable<string | undefined> {
  return { meaning, fallback, read: (value) => (value === '' ? undefined : value) };
}

/** A text that is shown to operators. */
export function plainText(meaning: string, fallback = ''): Variable<string | undefined> {
  return { ...text(meaning, fallback), shown: 'all' };
}

/** What a text must look like, and the end of the sentence "LATCHKEY_… must be …" for one that does not. */
interface Form {
  form: RegExp;
  expected: string;
}

/** A secret with a known form, so that one that was pasted into the wrong setting is refused. */
export function secret(meaning: string, { form, expected }: Form): Variable<string | undefined> {
  return {
    meaning,
    fallback: '',
    read: (value) => {
      if (value === '') return undefined;
      if (!form.test(value)) throw new ConfigError(`must be ${expected}`);
      return value;
    },
  };
}

/** A text with a known form that is shown to operators. */
export function plainForm(meaning: string, form: Form, fallback = ''): Variable<string | undefined> {
  return { ...secret(meaning, form), fallback, shown: 'all' };
}

const hostName = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*\.?$/i;
const dottedNumbers = /^[\d.]+$/;

function isHost(value: string): boolean {
  return isIP(value) !== 0 || (hostName.test(value) && !dottedNumbers.test(value));
}

/** An address or a host name to listen on, without a scheme and a port. */
export function listenHost(meaning: string, fallback: string): Variable<string | undefined> {
  return {
    ...plainText(meaning, fallback),
    read: (value) => {
      if (!isHost(value))
        throw new ConfigError('must be an IP address or a host name, without a scheme, a port or a path');
      return value;
    },
  };
}

/** Host names, without schemes and ports. */
export function hostNames(meaning: string): Variable<string[]> {
  return checkedList(meaning, isHost, 'must list host names only, without schemes, ports or paths');
}

/** IP addresses and networks, and the names of private ranges that Fastify knows. */
export function networks(meaning: string): Variable<string[]> {
  const known = ['loopback', 'linklocal', 'uniquelocal'];
  const isNetwork = (entry: string) => {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = isIP(address);
    return known.includes(entry) || (version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128));
  };
  const expected = `must list IP addresses and networks such as 10.0.0.0/8, or ${known.join(', ')}; names of machines are not resolved`;
  return checkedList(meaning, isNetwork, expected);
}

function checkedList(meaning: string, isValid: (entry: string) => boolean, expected: string): Variable<string[]> {
  const { read, ...rest } = plainList(meaning);
  return {
    ...rest,
    read: (value) => {
      const entries = read(value);
      if (!entries.every(isValid)) throw new ConfigError(expected);
      return entries;
    },
  };
}

/** Some of these names. */
export function someOf(meaning: string, names: readonly string[], what: string): Variable<string[]> {
  const { read, ...rest } = plainList(meaning);
  return {
    ...rest,
    read: (value) => {
      const entries = read(value);
      const unknown = entries.filter((entry) => !names.includes(entry));
      if (unknown.length > 0) throw new ConfigError(`must list ${what} only`);
      return entries;
    },
  };
}

/** An email address, also with a name: `Latchkey <mail@example.org>`. */
export function email(meaning: string, fallback = ''): Variable<string | undefined> {
  const form = /^(?:[^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;
  return plainForm(meaning, { form, expected: 'an email address, such as mail@example.org' }, fallback);
}

/** Master keys as `id:base64`, current first. */
export function masterKeys(meaning: string): Variable<string[]> {
  return {
    ...list(meaning),
    read: (value) => {
      const entries = list(meaning).read(value);
      const [fault] = masterKeyFaults(entries);
      if (fault !== undefined) throw new ConfigError(fault);
      return entries;
    },
  };
}

/** Returns what is wrong with master keys, without quoting any. */
export function masterKeyFaults(entries: readonly string[]): string[] {
  const ids = entries.map((entry) => entry.split(':', 1)[0] ?? '');
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  const faults = entries.flatMap((entry, at) => {
    const [id = '', text = '', ...more] = entry.split(':');
    const key = Buffer.from(text, 'base64');
    if (!/^[\w-]{1,32}$/.test(id) || more.length > 0 || key.length !== 32)
      return [`has a malformed master key (number ${at + 1}): each must be an id, a colon and 32 bytes in base64`];
    if (key.every((byte) => byte === 0))
      return ['has the master key from the examples. Create your own: openssl rand -base64 32'];
    return [];
  });
  return twice === undefined ? faults : [...faults, `has two master keys with the id ${twice.slice(0, 32)}`];
}

export function number(meaning: string, fallback: number, min: number, max: number): Variable<number> {
  return {
    meaning,
    fallback: String(fallback),
    shown: 'all',
    read: (value) => {
      const parsed = Number(value);
      if (!Number.isInteger(parsed) || parsed < min || parsed > max)
        throw new ConfigError(`must be a whole number from ${min} to ${max}`);
      return parsed;
    },
  };
}

/** A number that is derived from other values unless it is set. */
export function optionalNumber(meaning: string, min: number, max: number): Variable<number | undefined> {
  const { read } = number(meaning, min, min, max);
  return { meaning, fallback: '', shown: 'all', read: (value) => (value === '' ? undefined : read(value)) };
}

/** One of several values. The first is the default. */
export function oneOf<const Word extends string>(meaning: string, words: readonly [Word, ...Word[]]): Variable<Word> {
  return {
    meaning,
    fallback: words[0],
    shown: 'all',
    read: (value) => {
      const found = words.find((word) => word === value);
      if (found === undefined) throw new ConfigError(`must be ${words.join(' or ')}`);
      return found;
    },
  };
}

export function flag(meaning: string): Variable<boolean> {
  return {
    meaning,
    fallback: 'false',
    shown: 'all',
    read: (value) => {
      if (!/^(true|false|1|0)$/.test(value)) throw new ConfigError('must be true or false');
      return value === 'true' || value === '1';
    },
  };
}

/** Several texts, which may be secrets. */
export function list(meaning: string): Variable<string[]> {
  return { meaning, fallback: '', read: (value) => value.split(/[\s,]+/).filter((part) => part !== '') };
}

/** Several texts that are shown to operators. */
export function plainList(meaning: string): Variable<string[]> {
  return { ...list(meaning), shown: 'all' };
}

export function url(meaning: string, schemes: string[], fallback = ''): Variable<string | undefined> {
  return {
    meaning,
    fallback,
    shown: 'hosts',
    read: (value) => {
      if (value === '') return undefined;
      if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol)) {
        throw new ConfigError(`must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
      }
      return value.replace(/\/+$/, '');
    },
  };
}

/** The address of a whole site: scheme, host and port. */
export function origin(meaning: string): Variable<string | undefined> {
  const { read, ...rest } = url(meaning, ['http:', 'https:']);
  return {
    ...rest,
    read: (value) => {
      const address = read(value);
      if (address === undefined) return undefined;
      const { pathname, search, hash, username, password } = new URL(address);
      if (pathname !== '/')
        throw new ConfigError(
          'must not have a path: Latchkey needs a host name of its own, such as https://roles.example.org',
        );
      if (`${search}${hash}${username}${password}` !== '')
        throw new ConfigError('must be a scheme, a host and a port only, such as https://roles.example.org');
      return address;
    },
  };
}

/** A PostgreSQL database, on one host or on several of which one accepts writes: `postgres://me@a:5432,b:5432/name`. */
export function databaseUrl(meaning: string): Variable<string | undefined> {
  return {
    meaning,
    fallback: '',
    shown: 'database hosts',
    read: (value) => {
      if (value === '') return undefined;
      if (!isDatabaseUrl(value)) throw new ConfigError('must be a URL that starts with postgres:// or postgresql://');
      return value.replace(/\/+$/, '');
    },
  };
}

/** A flag that is derived from other values unless it is set. */
export function optionalFlag(meaning: string): Variable<boolean | undefined> {
  const { read } = flag(meaning);
  return { meaning, fallback: '', shown: 'all', read: (value) => (value === '' ? undefined : read(value)) };
}

/** An amount of a coin such as 0.5, parsed exactly, in the coin's smallest unit. */
export function coins(meaning: string, decimals: number): Variable<bigint | undefined> {
  return {
    meaning,
    fallback: '',
    shown: 'all',
    read: (value) => {
      if (value === '') return undefined;
      const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d+))?$/.exec(value) ?? [];
      if (whole === undefined || fraction.length > decimals)
        throw new ConfigError(`must be an amount such as 0.5, with up to ${decimals} decimal places`);
      return BigInt(whole + fraction.padEnd(decimals, '0'));
    },
  };
}

/** Values by name: `solana:mainnet-beta=https://…`. A name may occur several times. */
export function pairs(meaning: string): Variable<ReadonlyMap<string, readonly string[]>> {
  return {
    meaning,
    fallback: '',
    read: (value) => {
      const entries = value.split(/[\s,]+/).filter((part) => part !== '');
      const read = entries.map((entry) => {
        const [, name, text] = /^([a-z][-a-z0-9_.:]{0,63})=(.+)$/i.exec(entry) ?? [];
        if (name === undefined || text === undefined)
          throw new ConfigError('must be a list of name=value, separated by spaces or commas');
        return { name, text };
      });
      const byName = Map.groupBy(read, (pair) => pair.name);
      return new Map([...byName].map(([name, values]) => [name, values.map((pair) => pair.text)]));
    },
  };
}

/** The same, with URLs as values. */
export function pairsOfUrls(meaning: string): Variable<ReadonlyMap<string, readonly string[]>> {
  return {
    ...pairs(meaning),
    shown: 'hosts',
    read: (value) => {
      const byName = pairs(meaning).read(value);
      for (const [name, urls] of byName)
        if (!urls.every((one) => URL.canParse(one) && /^https?:\/\/\S/i.test(one)))
          throw new ConfigError(`must give ${name} a URL that starts with http:// or https://`);
      return byName;
    },
  };
}

/** URLs by chain id: `1=https://… 31337=http://…`. */
export function chainUrls(meaning: string): Variable<ReadonlyMap<string, readonly string[]>> {
  return {
    meaning,
    fallback: '',
    shown: 'hosts',
    read: (value) => {
      const entries = value.split(/[\s,]+/).filter((part) => part !== '');
      const pairs = entries.map((entry) => {
        const [, chain, address] = /^([1-9]\d{0,17})=(https?:\/\/\S+)$/.exec(entry) ?? [];
        if (chain === undefined || address === undefined || !URL.canParse(address))
          throw new ConfigError('must look like 1=https://…: a chain id, an equals sign, a URL');
        return { chain, address };
      });
      const byChain = Map.groupBy(pairs, (pair) => pair.chain);
      return new Map([...byChain].map(([chain, urls]) => [chain, urls.map((pair) => pair.address)]));
    },
  };
}

/** Contracts by chain: `31337=0x…`, or with a method's selector: `31337=0x…:0x12345678`. */
export function contractCalls(meaning: string): Variable<{ chainId: number; address: string; selector?: string }[]> {
  return {
    meaning,
    fallback: '',
    shown: 'all',
    read: (value) =>
      value
        .split(/[\s,]+/)
        .filter((part) => part !== '')
        .map((entry) => {
          const [, chain, address, selector] =
            /^([1-9]\d{0,14})=(0x[0-9a-f]{40})(?::(0x[0-9a-f]{8}))?$/i.exec(entry) ?? [];
          if (chain === undefined || address === undefined)
            throw new ConfigError('must look like 31337=0x…: a chain id, an equals sign, the address of a contract');
          const call = { chainId: Number(chain), address: address.toLowerCase() };
          return selector === undefined ? call : { ...call, selector: selector.toLowerCase() };
        }),
  };
}

/** An amount in a coin's smallest unit, which may exceed a safe integer. */
export function wei(meaning: string, fallback: string): Variable<bigint> {
  return {
    meaning,
    fallback,
    shown: 'all',
    read: (value) => {
      if (!/^\d{1,30}$/.test(value)) throw new ConfigError('must be a whole number of wei');
      return BigInt(value);
    },
  };
}

/** Bytes in hexadecimal with 0x: an address or a private key. */
export function hex(meaning: string, bytes: number): Variable<`0x${string}` | undefined> {
  const digits = new RegExp(`^0x([0-9a-fA-F]{${bytes * 2}})$`);
  return {
    meaning,
    fallback: '',
    read: (value) => {
      if (value === '') return undefined;
      const [, found] = digits.exec(value) ?? [];
      if (found === undefined) throw new ConfigError(`must be 0x and ${bytes * 2} hexadecimal digits`);
      return `0x${found}`;
    },
  };
}

/** A private key of an EVM account. */
export function privateKey(meaning: string): Variable<`0x${string}` | undefined> {
  const bytes = 32;
  return {
    ...hex(meaning, bytes),
    read: (value) => {
      const key = hex(meaning, bytes).read(value);
      if (key !== undefined && (BigInt(key) === 0n || BigInt(key) >= orderOfSecp256k1))
        throw new ConfigError('must be a private key: a number above 0 and below the order of secp256k1');
      return key;
    },
  };
}

const orderOfSecp256k1 = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Public bytes, such as the address of a contract. */
export function plainHex(meaning: string, bytes: number): Variable<`0x${string}` | undefined> {
  return { ...hex(meaning, bytes), shown: 'all' };
}

/** A rate: requests per number of seconds. */
export function rate(meaning: string, fallback: string): Variable<{ points: number; durationSeconds: number }> {
  return {
    meaning,
    fallback,
    shown: 'all',
    read: (value) => {
      const [, points, seconds] = /^(\d{1,9})\/(\d{1,7})$/.exec(value) ?? [];
      if (points === undefined || seconds === undefined || Number(seconds) === 0)
        throw new ConfigError('must look like 20/1: requests, a slash, seconds');
      return { points: Number(points), durationSeconds: Number(seconds) };
    },
  };
}
