import { T } from '@latchkey/kernel';

export const chainId = T.String({
  description: 'The EVM chain id, for example 137.',
  pattern: '^[1-9][0-9]{0,14}$',
  maxLength: 15,
});
export const address = T.String({
  description: 'The address of the contract.',
  pattern: '^0x[0-9a-fA-F]{40}$',
  maxLength: 42,
});
