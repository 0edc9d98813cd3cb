import { type Resource, resource } from '@latchkey/kernel';

/** The operations of EVM chains, which two features bring. */
export function evmResource<const Ops extends readonly unknown[]>(operations: Ops): Resource<'evm', Ops> {
  return resource('evm', 'EVM chains and their tokens.', operations);
}
