// Keccak-256 as Ethereum has it: FIPS 202's permutation with the padding of the original submission.

const rateBytes = 136;
const lane = (1n << 64n) - 1n;

/** FIPS 202, section 3.2.5: the round constants, by their shift register. */
const roundConstants = ((): readonly bigint[] => {
  let register = 1;
  const nextBit = () => {
    const bit = register & 1;
    register = register & 0x80 ? ((register << 1) & 0xff) ^ 0x71 : register << 1;
    return bit;
  };
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j += 1) if (nextBit() === 1) constant |= 1n << BigInt(2 ** j - 1);
    return constant;
  });
})();

export function keccak256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.floor(message.length / rateBytes) + 1;
  const padded = new Uint8Array(blocks * rateBytes);
  padded.set(message);
  padded[message.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const state = new BigUint64Array(25);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < blocks; block += 1) {
    for (let word = 0; word < rateBytes / 8; word += 1)
      state[word] = at(state, word) ^ view.getBigUint64(block * rateBytes + word * 8, true);
    permute(state);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let word = 0; word < 4; word += 1) digest.setBigUint64(word * 8, at(state, word), true);
  return new Uint8Array(digest.buffer);
}

function permute(state: BigUint64Array): void {
  for (const constant of roundConstants) {
    theta(state);
    rhoAndPi(state);
    chi(state);
    state[0] = at(state, 0) ^ constant;
  }
}

function theta(state: BigUint64Array): void {
  const columns = [0, 1, 2, 3, 4].map((x) =>
    [0, 5, 10, 15, 20].reduce((parity, row) => parity ^ at(state, x + row), 0n),
  );
  for (let x = 0; x < 5; x += 1) {
    const mixed = (columns[(x + 4) % 5] ?? 0n) ^ rotate(columns[(x + 1) % 5] ?? 0n, 1);
    for (let row = 0; row < 25; row += 5) state[x + row] = at(state, x + row) ^ mixed;
  }
}

function rhoAndPi(state: BigUint64Array): void {
  let [x, y] = [1, 0];
  let current = at(state, 1);
  for (let step = 0; step < 24; step += 1) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    const next = at(state, x + 5 * y);
    state[x + 5 * y] = rotate(current, (((step + 1) * (step + 2)) / 2) % 64);
    current = next;
  }
}

function chi(state: BigUint64Array): void {
  for (let row = 0; row < 25; row += 5) {
    const before = [0, 1, 2, 3, 4].map((x) => at(state, row + x));
    for (let x = 0; x < 5; x += 1)
      state[row + x] = (before[x] ?? 0n) ^ (~(before[(x + 1) % 5] ?? 0n) & lane & (before[(x + 2) % 5] ?? 0n));
  }
}

function rotate(value: bigint, bits: number): bigint {
  return ((value << BigInt(bits)) | (value >> BigInt(64 - bits))) & lane;
}

function at(state: BigUint64Array, index: number): bigint {
  return state[index] ?? 0n;
}
