import { concatHex, type Hex, size, toHex } from 'viem';

/** The code of a contract that gives the same answer to whatever it is asked. */
export function constantContract(answer: Hex): Hex {
  // PUSH2 size, DUP1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 0, RETURN, and behind it the answer.
  return concatHex(['0x61', toHex(size(answer), { size: 2 }), '0x80600c6000396000f3', answer]);
}

/** The code of a contract that burns all the gas it is given. */
export const gasBurner: Hex = '0xfe';
