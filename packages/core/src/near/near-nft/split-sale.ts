const wholeInBasisPoints = 10_000n;

export interface SaleTerms {
  price: bigint;
  /** The market's fee, in basis points. */
  feeBasisPoints: number;
  seller: string;
  /** Shares of the price after the fee, in basis points, by account. */
  royalties: Readonly<Record<string, number>>;
}

export interface SaleSplit {
  fee: bigint;
  /** The amount of each account; together with the fee they are the price. */
  shares: ReadonlyMap<string, bigint>;
}

/** Splits a price: the fee first, then each royalty rounded down, and the seller gets the rest. */
export function splitSale({ price, feeBasisPoints, seller, royalties }: SaleTerms): SaleSplit {
  const fee = portion(price, feeBasisPoints);
  const rest = price - fee;
  const shares = new Map<string, bigint>();
  for (const [account, points] of Object.entries(royalties))
    if (account !== seller) shares.set(account, portion(rest, points));
  const given = [...shares.values()].reduce((sum, share) => sum + share, 0n);
  if (given > rest) throw new RangeError('The royalties exceed 100%.');
  shares.set(seller, rest - given);
  return { fee, shares };
}

function portion(amount: bigint, basisPoints: number): bigint {
  return (amount * BigInt(basisPoints)) / wholeInBasisPoints;
}

export interface PlacedBid {
  buyer: string;
  price: bigint;
}

/** Returns the highest bid after another one, and the one to refund. A bid that is not higher changes nothing. */
export function placeBid(
  standing: PlacedBid | undefined,
  bid: PlacedBid,
): { standing: PlacedBid; paidBack: PlacedBid | undefined } | undefined {
  if (standing !== undefined && bid.price <= standing.price) return undefined;
  return { standing: bid, paidBack: standing };
}
