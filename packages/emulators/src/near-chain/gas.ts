import type { Action } from './transaction.ts';

/** The price of a unit of gas, in yoctoNEAR. */
export const gasPrice = 100_000_000n;
export const maxPrepaidGas = 300_000_000_000_000;
/** The gas burnt by running a method, besides the fee of the call. */
export const gasOfMethod = 1_400_000_000_000;
const gasOfReceipt = 108_059_500_000;

const fees: Readonly<Record<Action['kind'], number>> = {
  CreateAccount: 3_850_000_000_000,
  DeployContract: 184_765_750_000,
  FunctionCall: 200_000_000_000,
  Transfer: 115_123_062_500,
  Stake: 102_217_625_000,
  AddKey: 101_765_125_000,
  DeleteKey: 94_946_625_000,
  DeleteAccount: 147_489_000_000,
  UseGlobalContract: 184_765_750_000,
};

/** Returns the gas burnt to send a receipt with these actions, and again to execute it, besides running methods. */
export function feeOf(actions: readonly Action[]): number {
  return actions.reduce((sum, action) => sum + fees[action.kind] + bytesFee(action), gasOfReceipt);
}

function bytesFee(action: Action): number {
  if (action.kind === 'FunctionCall') return (action.method.length + action.args.length) * 2_235_934;
  return action.kind === 'DeployContract' ? action.code.length * 6_812_999 : 0;
}

export function attachedGas(actions: readonly Action[]): number {
  return actions.reduce((sum, action) => sum + (action.kind === 'FunctionCall' ? action.gas : 0), 0);
}

export function costOf(gas: number): bigint {
  return BigInt(gas) * gasPrice;
}
