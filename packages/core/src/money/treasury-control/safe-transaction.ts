import type { SafeTransaction } from '../../ports/index.ts';

const noAddress = '0x0000000000000000000000000000000000000000';

const fields = [
  ['to', 'address'],
  ['value', 'uint256'],
  ['data', 'bytes'],
  ['operation', 'uint8'],
  ['safeTxGas', 'uint256'],
  ['baseGas', 'uint256'],
  ['gasPrice', 'uint256'],
  ['gasToken', 'address'],
  ['refundReceiver', 'address'],
  ['nonce', 'uint256'],
] as const;

/** What the owner of a Safe signs for a transaction (EIP-712, as Safe 1.4.1 defines it), in the one form the signer takes. */
export function typedDataOf({ safe, to, value, data, nonce, leastGas }: SafeTransaction, chainId: number): string {
  return JSON.stringify({
    types: {
      EIP712Domain: [
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      SafeTx: fields.map(([name, type]) => ({ name, type })),
    },
    primaryType: 'SafeTx',
    domain: { chainId, verifyingContract: safe },
    message: {
      to,
      value: String(value),
      data,
      operation: 0,
      safeTxGas: String(leastGas),
      baseGas: '0',
      gasPrice: '0',
      gasToken: noAddress,
      refundReceiver: noAddress,
      nonce: String(nonce),
    },
  });
}
