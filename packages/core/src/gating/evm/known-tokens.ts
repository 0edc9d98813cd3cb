import known from './known-tokens.json' with { type: 'json' };
import type { TokenStandard } from './token-queries.ts';

/** A token that is listed before any rule names it. The data names its public sources. */
export interface KnownToken {
  chainId: number;
  /** In lower case. */
  address: string;
  symbol: string;
  name: string;
  decimals?: number;
  standard: TokenStandard;
}

const tokens: readonly KnownToken[] = known.tokens.map(({ standard, ...token }) => ({
  ...token,
  standard: asStandard(standard),
}));
const byChain: ReadonlyMap<number, readonly KnownToken[]> = Map.groupBy(tokens, ({ chainId }) => chainId);

export function knownTokens(chainId: number): readonly KnownToken[] {
  return byChain.get(chainId) ?? [];
}

function asStandard(standard: string): TokenStandard {
  if (standard === 'erc20' || standard === 'erc721' || standard === 'erc1155') return standard;
  throw new Error(`The token list contains an unknown standard: ${standard}.`);
}
