import { type Resource, resource } from '@latchkey/kernel';

/** The EVM chain operations, which two modules contribute to. */
export function evmResource<const Ops extends readonly unknown[]>(operations: Ops): Resource<'evm', Ops> {
  return resource('evm', 'EVM chains and their tokens.', operations);
}
