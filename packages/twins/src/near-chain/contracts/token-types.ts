import { type Call, type Contract, pageArgs, panic, require, type Storage, textArg, type View } from './contract.ts';
import { readSet } from './indexed-set.ts';
import { listTokens, typeSet } from './nep171-tokens.ts';

interface TypeCap {
  cap: string;
  minted: number;
}

const maxRoyalties = 10;

/** Sets how many tokens of each type there may be; as long as a type is locked its tokens cannot be transferred. */
export function addTokenTypes({ storage, args }: Call): void {
  const caps = Object.entries(Object(args.supply_cap_by_type));
  const names = storage.get<readonly string[]>('types') ?? [];
  for (const [type, cap] of caps) {
    require(typeof cap === 'string' && /^\d{1,39}$/.test(cap), 'invalid cap of a token type');
    require(!names.includes(type), 'Token type exists already');
    storage.set(`cap/${type}`, { cap, minted: 0 });
    if (args.locked === true) storage.set(`locked/${type}`, true);
  }
  storage.set('types', [...names, ...caps.map(([type]) => type)]);
}

export function unlockTokenTypes({ storage, args }: Call): void {
  const types = Array.isArray(args.token_types) ? args.token_types : panic('missing field `token_types`');
  for (const type of types) storage.set(`locked/${type}`, undefined);
}

/** Counts one more token of the type. A contract with types mints only tokens of one of them. */
export function takeFromCap(storage: Storage, type: string | undefined): void {
  const names = storage.get<readonly string[]>('types') ?? [];
  if (names.length === 0 && type === undefined) return;
  const known = type === undefined ? undefined : storage.get<TypeCap>(`cap/${type}`);
  if (known === undefined) panic('Token type must be one that was added');
  require(BigInt(known.minted) < BigInt(known.cap), 'Cannot mint anymore of token type');
  storage.set(`cap/${type}`, { ...known, minted: known.minted + 1 });
}

export function readRoyalties(value: unknown): Readonly<Record<string, number>> {
  const entries = Object.entries(Object(value ?? {}));
  require(entries.length <= maxRoyalties, 'Cannot add more than 10 perpetual royalty amounts');
  let total = 0;
  for (const [, points] of entries) {
    if (typeof points !== 'number' || !Number.isInteger(points) || points < 0) panic('invalid royalty');
    total += points;
  }
  require(total <= 10_000, 'Perpetual royalties cannot be more than the whole');
  return Object.fromEntries(entries) as Record<string, number>;
}

export const tokenTypeViews: Contract['views'] = {
  get_token_types: ({ storage }: View) =>
    (storage.get<readonly string[]>('types') ?? []).map((type) => ({
      type,
      ...storage.get<TypeCap>(`cap/${type}`),
      locked: storage.get(`locked/${type}`) === true,
    })),
  nft_supply_for_type: ({ storage, args }: View) => String(readSet(storage, typeSet(textArg(args, 'token_type'))).size),
  nft_tokens_for_type: ({ storage, args }: View) => {
    const { from, limit } = pageArgs(args);
    return listTokens(storage, typeSet(textArg(args, 'token_type')), from, limit);
  },
};
