import { useOperation } from '../api/index.ts';

const addressForm = /^0x[0-9a-fA-F]{40}$/;

export interface TokenFacts {
  symbol: string | undefined;
  decimals: number | undefined;
}

/** What the chain says of a token. Only admins of a community may ask, so the wallet of an organization knows none. */
export function useToken(
  communityId: string | undefined,
  chainId: number | undefined,
  address: string | undefined,
): TokenFacts | undefined {
  const isKnowable = communityId !== undefined && chainId !== undefined && addressForm.test(address ?? '');
  const found = useOperation(
    'GET /latchkey/communities/{communityId}/tokens',
    { communityId: communityId ?? '', search: address ?? '', ...(chainId !== undefined && { chainId }) },
    { enabled: isKnowable },
  );
  const token = isKnowable ? found.data?.tokens[0] : undefined;
  return token && { symbol: token.symbol ?? token.name, decimals: token.decimals };
}
