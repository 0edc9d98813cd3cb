import { readInput } from '@latchkey/kernel';
import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  isErc6492Signature,
  parseAbi,
  parseErc6492Signature,
} from 'viem';
import { createEvmRpc, type EvmRpc, type RpcOptions } from './rpc.ts';

export interface ContractQuestion {
  chain: string;
  address: Hex;
  hash: Hex;
  signature: Hex;
}

/** `unreachable`: no node of the chain gave a reliable response. */
export type ContractAnswer = 'accepted' | 'refused' | 'no-contract' | 'unreachable';

const erc1271Abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
const noCode = '0x';
// The selector of isValidSignature as a full 32-byte word. Comparing fewer bytes would accept the identity precompile, which returns its
// call data, and so this selector.
const erc1271Yes = `0x1626ba7e${'0'.repeat(56)}`;

async function askDeployed(rpc: EvmRpc, { address, hash, signature }: ContractQuestion): Promise<ContractAnswer> {
  const data = encodeFunctionData({ abi: erc1271Abi, functionName: 'isValidSignature', args: [hash, signature] });
  const answer = await rpc.call({ to: address, data });
  return answer?.toLowerCase().startsWith(erc1271Yes) ? 'accepted' : 'refused';
}

/** Deploys the wallet and calls it inside one eth_call that leaves nothing behind (ERC-6492). */
async function askUndeployed(rpc: EvmRpc, { address, hash, signature }: ContractQuestion): Promise<ContractAnswer> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hash, signature],
  });
  const answer = await rpc.call({ data });
  if (answer === undefined || answer === '0x00') return 'refused';
  return answer === '0x01' ? 'accepted' : 'unreachable';
}

async function askNode(rpc: EvmRpc, question: ContractQuestion): Promise<ContractAnswer> {
  const [chain, code] = await Promise.all([rpc.chainId(), rpc.code(question.address)]);
  // A contract with the same address on another chain can belong to a different owner.
  if (chain !== question.chain) return 'unreachable';
  if (!isErc6492Signature(question.signature)) return code === noCode ? 'no-contract' : askDeployed(rpc, question);
  const signature = readInput(() => parseErc6492Signature(question.signature).signature);
  if (signature === undefined) return 'refused';
  // A deployed wallet is called without the deployment in the wrapper: that deployment is an arbitrary call chosen by the sender, and could
  // take over the wallet within the simulation.
  return code === noCode ? askUndeployed(rpc, question) : askDeployed(rpc, { ...question, signature });
}

/** Calls a contract wallet to verify a signature over a hash (ERC-1271, ERC-6492). The first node that responds decides. */
export async function askContract(
  question: ContractQuestion,
  urls: readonly string[],
  options: Omit<RpcOptions, 'url'>,
): Promise<ContractAnswer> {
  for (const url of urls) {
    try {
      const answer = await askNode(createEvmRpc({ ...options, url }), question);
      if (answer !== 'unreachable') return answer;
    } catch {
      // The URL of a node can contain a key, and so can viem's error, so neither is passed on.
    }
  }
  return 'unreachable';
}
