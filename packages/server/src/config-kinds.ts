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
  return { ...pairs(meaning), shown: 'hosts' };
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
