import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export interface Argument {
  name: string;
  type: string;
  typeModifiers?: { predicate?: string; isVector?: boolean; isBareVector?: boolean; isBareType?: boolean };
}

/** A constructor or a method of the schema. */
export interface Definition {
  name: string;
  id: number;
  arguments: readonly Argument[];
}

export interface Schema {
  /** The API version that clients must send. */
  layer: number;
  byName: ReadonlyMap<string, Definition>;
  byId: ReadonlyMap<number, Definition>;
}

let loaded: Schema | undefined;

/** Loads Telegram's own schema from the client library: of the protocol, where names begin with `mt_`, and of the API. */
export function loadSchema(): Schema {
  loaded ??= readSchema();
  return loaded;
}

function readSchema(): Schema {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string) => readFileSync(resolve(`@mtcute/core/tl/${name}`), 'utf8');
  const api: { l: number; e: readonly Definition[] } = JSON.parse(read('api-schema.json'));
  const protocol: readonly Definition[] = JSON.parse(read('mtp-schema.json'));
  const all = [...api.e, ...protocol];
  return {
    layer: api.l,
    byName: new Map(all.map((one) => [one.name, one])),
    byId: new Map(all.map((one) => [one.id >>> 0, one])),
  };
}
