import { type Address, createPublicClient, createWalletClient, encodeFunctionData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type DevChain, devChain, devTransport, sampleKeysAbi } from '../evm-chain/index.ts';
import type { SampleMember } from './members.ts';

/** Transfers one of a member's keys, signed by the member's own wallet. */
export async function sendKey(chain: DevChain, from: SampleMember, to: Address): Promise<void> {
  const network = { chain: devChain(chain.url, chain.chainId), transport: devTransport(chain.url) };
  const contract = { address: chain.contracts.erc721, abi: sampleKeysAbi } as const;
  const tokenId = await createPublicClient(network).readContract({
    ...contract,
    functionName: 'tokenOfOwnerByIndex',
    args: [from.address, 0n],
  });
  const data = encodeFunctionData({
    abi: sampleKeysAbi,
    functionName: 'transferFrom',
    args: [from.address, to, tokenId],
  });
  const account = privateKeyToAccount(from.privateKey);
  await createWalletClient({ ...network, account }).sendTransaction({ to: contract.address, data });
}
