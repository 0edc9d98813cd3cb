const wholeInBasisPoints = 10_000n;

export interface SaleTerms {
  price: bigint;
  /** What the market keeps, in hundredths of a percent. */
  feeBasisPoints: number;
  seller: string;
  /** Shares of what the market leaves, in hundredths of a percent, by account. */
  royalties: Readonly<Record<string, number>>;
}

export interface SaleSplit {
  fee: bigint;
  /** Who gets what; together with the fee it is the price. */
  shares: ReadonlyMap<string, bigint>;
}

/** Shares a price out: the fee first, then each royalty rounded down, and the seller has all that remains. */
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

/** The bid that stands after another one, and the one that is paid back. A bid that is not higher changes nothing. */
export function placeBid(
  standing: PlacedBid | undefined,
  bid: PlacedBid,
): { standing: PlacedBid; paidBack: PlacedBid | undefined } | undefined {
  if (standing !== undefined && bid.price <= standing.price) return undefined;
  return { standing: bid, paidBack: standing };
}
