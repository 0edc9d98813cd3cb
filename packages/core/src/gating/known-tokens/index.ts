import known from './known-tokens.json' with { type: 'json' };

// The index is written by `node scripts/token-index.ts`, which names the packages it is from and checks their licences.

/** A token or collection that can be found by name before any rule names it. */
export interface KnownToken {
  /** As CAIP-2 spells it. */
  chain: string;
  /** On EVM chains in lower case. */
  address: string;
  symbol: string;
  name: string;
  /** Collections have none. */
  decimals?: number;
}

const byChain: ReadonlyMap<string, readonly KnownToken[]> = new Map(
  Object.entries<(string | number)[][]>(known.chains).map(([chain, rows]) => [
    chain,
    rows.map(([address, symbol, name, decimals]) => ({
      chain,
      address: String(address),
      symbol: String(symbol),
      name: String(name),
      ...(typeof decimals === 'number' && { decimals }),
    })),
  ]),
);

export function knownTokens(chain: string): readonly KnownToken[] {
  return byChain.get(chain) ?? [];
}

export function findKnownToken(chain: string, address: string): KnownToken | undefined {
  return knownTokens(chain).find((token) => token.address === address);
}
