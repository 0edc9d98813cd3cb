import { RegistryRefusal, RegistryUnavailable } from '@latchkey/core/ports';
import { BaseError, ContractFunctionRevertedError } from 'viem';
import { lacksMoney } from '../evm-transactions/index.ts';

/** Runs requests to a chain. The URL of a node can contain a key, and so can viem's error, so neither is passed on. */
export async function answerOf<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RegistryRefusal) throw error;
    throw new RegistryUnavailable('The registry’s chain sent an unusable response.');
  }
}

/** Throws `RegistryRefusal` for failures that would repeat on every retry, and rethrows anything else. */
export function refusalOf(error: unknown): never {
  if (error instanceof BaseError) {
    const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    if (revert instanceof ContractFunctionRevertedError)
      throw new RegistryRefusal(`The registry rejected the claim: ${revert.data?.errorName ?? 'it reverted'}.`);
    if (lacksMoney(error)) throw new RegistryRefusal('The registrar has insufficient funds for gas.');
  }
  throw error;
}

export function otherChain(): RegistryRefusal {
  return new RegistryRefusal('The node is on a different chain than configured.');
}

export function reverted(): RegistryRefusal {
  return new RegistryRefusal('The chain rejected the contract deployment.');
}
