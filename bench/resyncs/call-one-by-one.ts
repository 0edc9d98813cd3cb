import type { EvmWorld } from '@latchkey/chains/testing';
import { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi } from '@latchkey/emulators/evm-chain';
import type { GuildRule } from '@latchkey/server/testing/gated-world';
import { type Address, encodeFunctionData } from 'viem';

const atOnce = 16;

/** The baseline: `eth_call` for each wallet and rule. Only a sample is made, and the time is scaled to all of them. */
export async function callOneByOne(
  chain: EvmWorld,
  rules: readonly GuildRule[],
  addresses: readonly Address[],
  sampled: number,
): Promise<{ calls: number; ms: number; atOnce: number }> {
  const perRule = sampled / rules.length;
  const reads = rules.flatMap((rule) =>
    addresses.slice(0, perRule).map((account) => ({ to: rule.contractAddress, data: encodeRead(rule, account) })),
  );
  const left = reads.values();
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const read of left) await chain.rpc('eth_call', [read, 'latest']);
    }),
  );
  const calls = addresses.length * rules.length;
  return { calls, ms: ((performance.now() - startedMs) * calls) / reads.length, atOnce };
}

function encodeRead({ type, tokenId }: GuildRule, account: Address): string {
  if (type === 'ERC1155')
    return encodeFunctionData({
      abi: sampleBadgesAbi,
      functionName: 'balanceOf',
      args: [account, BigInt(String(tokenId))],
    });
  const abi = type === 'ERC721' ? sampleKeysAbi : sampleCoinAbi;
  return encodeFunctionData({ abi, functionName: 'balanceOf', args: [account] });
}
