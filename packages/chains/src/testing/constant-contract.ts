import { concatHex, type Hex, size, toHex } from 'viem';

/** Returns the code of a contract that returns the same value for every call. */
export function constantContract(answer: Hex): Hex {
  // PUSH2 size, DUP1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 0, RETURN, followed by the answer.
  return concatHex(['0x61', toHex(size(answer), { size: 2 }), '0x80600c6000396000f3', answer]);
}

/** The code of a contract that burns all of its gas. */
export const gasBurner: Hex = '0xfe';
