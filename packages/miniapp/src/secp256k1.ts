// Verification alone (SEC 1, section 4.1.4, on the curve of SEC 2, section 2.4.1). It works on public values, so that its
// time may depend on them. WebCrypto does not have this curve.
import { readBigInt } from './bytes.ts';

const fieldPrime = 2n ** 256n - 2n ** 32n - 977n;
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Jacobian coordinates; z = 0 is the point at infinity. */
interface Point {
  x: bigint;
  y: bigint;
  z: bigint;
}

const infinity: Point = { x: 1n, y: 1n, z: 0n };
const generator: Point = {
  x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  z: 1n,
};

/** Whether r and s sign the digest with the key, which is uncompressed: 0x04, x and y. */
export function isSignedBy(publicKey: Uint8Array, digest: Uint8Array, r: bigint, s: bigint): boolean {
  const key = readPoint(publicKey);
  if (key === undefined || r <= 0n || r >= order || s <= 0n || s >= order) return false;
  const inverse = invert(s, order);
  const sum = addMultiples([generator, mod(readBigInt(digest) * inverse, order)], [key, mod(r * inverse, order)]);
  if (sum.z === 0n) return false;
  const zInverse = invert(sum.z, fieldPrime);
  return mod(mod(sum.x * zInverse * zInverse), order) === r;
}

/** A point of the curve, or undefined. */
export function readPoint(bytes: Uint8Array): Point | undefined {
  if (bytes.length !== 65 || bytes[0] !== 4) return undefined;
  const [x, y] = [readBigInt(bytes.subarray(1, 33)), readBigInt(bytes.subarray(33))];
  const isOnCurve = x < fieldPrime && y < fieldPrime && mod(y * y) === mod(x * x * x + 7n);
  return isOnCurve ? { x, y, z: 1n } : undefined;
}

/** Both products at once, bit by bit. */
function addMultiples([a, aTimes]: [Point, bigint], [b, bTimes]: [Point, bigint]): Point {
  const both = add(a, b);
  let sum = infinity;
  for (let bit = 255n; bit >= 0n; bit -= 1n) {
    sum = double(sum);
    const hasA = ((aTimes >> bit) & 1n) === 1n;
    const hasB = ((bTimes >> bit) & 1n) === 1n;
    if (hasA || hasB) sum = add(sum, hasA && hasB ? both : hasA ? a : b);
  }
  return sum;
}

function double({ x, y, z }: Point): Point {
  if (z === 0n || y === 0n) return infinity;
  const yy = mod(y * y);
  const s = mod(4n * x * yy);
  const m = mod(3n * x * x);
  const x3 = mod(m * m - 2n * s);
  return { x: x3, y: mod(m * (s - x3) - 8n * yy * yy), z: mod(2n * y * z) };
}

function add(p: Point, q: Point): Point {
  if (p.z === 0n) return q;
  if (q.z === 0n) return p;
  const [pzz, qzz] = [mod(p.z * p.z), mod(q.z * q.z)];
  const [u1, u2] = [mod(p.x * qzz), mod(q.x * pzz)];
  const [s1, s2] = [mod(p.y * qzz * q.z), mod(q.y * pzz * p.z)];
  if (u1 === u2) return s1 === s2 ? double(p) : infinity;
  const h = mod(u2 - u1);
  const hh = mod(h * h);
  const hhh = mod(h * hh);
  const v = mod(u1 * hh);
  const r = mod(s2 - s1);
  const x = mod(r * r - hhh - 2n * v);
  return { x, y: mod(r * (v - x) - s1 * hhh), z: mod(p.z * q.z * h) };
}

function mod(value: bigint, modulus = fieldPrime): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** By Euclid's algorithm. The value is not 0. */
function invert(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [mod(value, modulus), modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, x, y] = [b - quotient * a, a, y - quotient * x, x];
  }
  return mod(x, modulus);
}
