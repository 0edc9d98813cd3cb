import { panic } from "./host";

/** An unsigned 128-bit integer: amounts of yoctoNEAR and of tokens. Overflow panics instead of wrapping around. */
export class U128 {
  constructor(
    public lo: u64 = 0,
    public hi: u64 = 0,
  ) {}

  get isZero(): bool {
    return this.lo == 0 && this.hi == 0;
  }

  plus(other: U128): U128 {
    const lo = this.lo + other.lo;
    const carry: u64 = lo < this.lo ? 1 : 0;
    const hi = this.hi + other.hi;
    const sum = hi + carry;
    if (hi < this.hi || sum < hi) panic("The amount is too large");
    return new U128(lo, sum);
  }

  minus(other: U128): U128 {
    if (this.isLess(other)) panic("The amount is below zero");
    const borrow: u64 = this.lo < other.lo ? 1 : 0;
    return new U128(this.lo - other.lo, this.hi - other.hi - borrow);
  }

  isLess(other: U128): bool {
    return this.hi < other.hi || (this.hi == other.hi && this.lo < other.lo);
  }

  equals(other: U128): bool {
    return this.lo == other.lo && this.hi == other.hi;
  }

  times(factor: u32): U128 {
    const f = <u64>factor;
    const low = (this.lo & 0xffffffff) * f;
    const high = (this.lo >> 32) * f + (low >> 32);
    const lo = (low & 0xffffffff) | (high << 32);
    const low2 = (this.hi & 0xffffffff) * f + (high >> 32);
    const high2 = (this.hi >> 32) * f + (low2 >> 32);
    if (high2 >> 32 != 0) panic("The amount is too large");
    return new U128(lo, (low2 & 0xffffffff) | (high2 << 32));
  }

  /** Returns the quotient; the remainder is left in `rest`. */
  over(divisor: u32): U128 {
    const d = <u64>divisor;
    const words: u64[] = [this.hi >> 32, this.hi & 0xffffffff, this.lo >> 32, this.lo & 0xffffffff];
    let rest: u64 = 0;
    for (let at = 0; at < 4; at++) {
      const part = (rest << 32) | words[at];
      words[at] = part / d;
      rest = part % d;
    }
    const quotient = new U128((words[2] << 32) | words[3], (words[0] << 32) | words[1]);
    quotient.rest = <u32>rest;
    return quotient;
  }
  rest: u32 = 0;

  /** Returns basis points of it, rounded down. No intermediate value exceeds the amount itself. */
  portion(basisPoints: u32): U128 {
    const whole = this.over(10_000);
    const part = (<u64>whole.rest * <u64>basisPoints) / 10_000;
    return whole.times(basisPoints).plus(new U128(part));
  }

  toString(): string {
    if (this.hi == 0) return this.lo.toString();
    const high = this.over(1_000_000_000);
    return high.toString() + high.rest.toString().padStart(9, "0");
  }

  /** Returns null for text that is not a 128-bit integer. */
  static parse(text: string): U128 | null {
    if (text.length == 0 || text.length > 39) return null;
    // (2^128 - 1) / 10, rounded down.
    const tenth = new U128(0x9999999999999999, 0x1999999999999999);
    let value = new U128();
    for (let at = 0; at < text.length; at++) {
      const digit = text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) return null;
      // 2^128 - 1 has 39 digits, so that only the last step can overflow.
      if (at == 38 && !(value.isLess(tenth) || (value.equals(tenth) && digit <= 5))) return null;
      value = value.times(10).plus(new U128(<u64>digit));
    }
    return value;
  }
}
