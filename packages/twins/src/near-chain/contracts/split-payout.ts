export const basisPoints = 10_000n;

export interface Shares {
  /** What the market keeps. */
  fee: bigint;
  /** Who gets how much of the rest, with nothing left over. */
  payout: Map<string, bigint>;
}

/** What royalties leave of an amount: each is rounded down, and the owner has whatever remains. */
export function payoutOf(
  balance: bigint,
  owner: string,
  royalties: Readonly<Record<string, number>>,
): Map<string, bigint> {
  const payout = new Map<string, bigint>();
  let left = balance;
  for (const [account, points] of Object.entries(royalties)) {
    if (account === owner) continue;
    const share = (balance * BigInt(points)) / basisPoints;
    payout.set(account, share);
    left -= share;
  }
  payout.set(owner, (payout.get(owner) ?? 0n) + left);
  return payout;
}

export function feeOfPrice(price: bigint, feePoints: number): bigint {
  return (price * BigInt(feePoints)) / basisPoints;
}

/**
 * What a market may pay out of what a token contract answered: undefined when the answer promises more than there is, or
 * to too many. What it leaves over belongs to the seller.
 */
export function readPayout(
  answer: unknown,
  { balance, seller, maxLength }: { balance: bigint; seller: string; maxLength: number },
): Map<string, bigint> | undefined {
  const entries = Object.entries(Object(Object(answer).payout));
  if (entries.length === 0 || entries.length > maxLength) return undefined;
  const payout = new Map<string, bigint>();
  let left = balance;
  for (const [account, amount] of entries) {
    if (typeof amount !== 'string' || !/^\d{1,39}$/.test(amount)) return undefined;
    payout.set(account, BigInt(amount));
    left -= BigInt(amount);
  }
  if (left < 0n) return undefined;
  if (left > 0n) payout.set(seller, (payout.get(seller) ?? 0n) + left);
  return payout;
}
