import { stored } from "./host";
import { IndexedSet } from "./indexed-set";
import { nativeToken } from "./sales";
import { U128 } from "./u128";

/** The storage that a seller pays for, for each sale. */
export const bytesPerSale: u64 = 3_000;

export function saleCost(): U128 {
  return new U128(10_000_000_000_000_000_000).times(<u32>bytesPerSale);
}

/** The accepted currencies besides NEAR. */
export const currencies = (): IndexedSet => new IndexedSet("f");

export function isTaken(token: string): bool {
  return token == nativeToken || stored("f=" + token) !== null;
}

/** Returns what an account has paid for the storage of its sales. */
export function paidFor(account: string): U128 {
  const text = stored("d/" + account);
  return text === null ? new U128() : U128.parse(text)!;
}

export function feePoints(): u32 {
  const points = stored("fee-points");
  return points === null ? 0 : <u32>U32.parseInt(points);
}
