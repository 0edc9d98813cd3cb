import type { SafeCall, SafeTransaction, SafeTransfer } from '@latchkey/core/ports';
import { encodeFunctionData, getAddress, type Hex, isHex, zeroAddress } from 'viem';
import { safeAbi, tokenAbi } from './safe-abi.ts';

// What stands before the first owner in the list that a Safe keeps of them.
const firstPlace = '0x0000000000000000000000000000000000000001';

export function encodeTransfer(safe: string, transfer: SafeTransfer): SafeCall {
  const [from, to] = [getAddress(safe), getAddress(transfer.to)];
  switch (transfer.kind) {
    case 'coin':
      return { to, value: transfer.amount, data: '0x' };
    case 'erc20':
      return callOf(
        transfer.token,
        encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, transfer.amount] }),
      );
    case 'erc721': {
      const args = [from, to, transfer.tokenId] as const;
      return callOf(transfer.token, encodeFunctionData({ abi: tokenAbi, functionName: 'safeTransferFrom', args }));
    }
    case 'erc1155': {
      const args = [from, to, transfer.tokenId, transfer.amount, '0x'] as const;
      return callOf(transfer.token, encodeFunctionData({ abi: tokenAbi, functionName: 'safeTransferFrom', args }));
    }
  }
}

export function encodeOwnerChange(safe: string, from: string, to: string): SafeCall {
  const args = [firstPlace, getAddress(from), getAddress(to)] as const;
  return callOf(safe, encodeFunctionData({ abi: safeAbi, functionName: 'swapOwner', args }));
}

/** The call to the Safe that runs a transaction. The fee is nobody's business inside it: who sends it pays. */
export function encodeExecution({ to, value, data, leastGas }: SafeTransaction, signature: string): Hex {
  const args = [
    getAddress(to),
    value,
    asHex(data),
    0,
    leastGas,
    0n,
    0n,
    zeroAddress,
    zeroAddress,
    asHex(signature),
  ] as const;
  return encodeFunctionData({ abi: safeAbi, functionName: 'execTransaction', args });
}

function callOf(to: string, data: Hex): SafeCall {
  return { to: getAddress(to), value: 0n, data };
}

export function asHex(text: string): Hex {
  if (!isHex(text)) throw new Error('This is not a hexadecimal text.');
  return text;
}
