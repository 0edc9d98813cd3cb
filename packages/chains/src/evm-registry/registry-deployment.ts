import { encodeDeployData, getAddress, parseAbi } from 'viem';
import { registryBytecode } from './registry-bytecode.ts';

const abi = parseAbi(['constructor(address registrar_)']);

/** Returns the data of the transaction that deploys the hosted wallet registry with this registrar, on any chain. */
export function registryDeployment(registrar: string): string {
  return encodeDeployData({ abi, bytecode: registryBytecode, args: [getAddress(registrar)] });
}
