import type { EvmWorld } from '@latchkey/chains/testing';
import { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi } from '@latchkey/emulators/evm-chain';
import type { GuildRule } from '@latchkey/server/testing/gated-world';
import { type Address, encodeFunctionData } from 'viem';
import { expectBaseline } from '../baseline.ts';

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
  let held = 0;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const read of left) if (BigInt(String(await chain.rpc('eth_call', [read, 'latest']))) > 0n) held += 1;
    }),
  );
  const tookMs = performance.now() - startedMs;
  expectBaseline(
    held > 0 && held < reads.length,
    `One call at a time found ${held} holdings in ${reads.length} calls.`,
  );
  const calls = addresses.length * rules.length;
  return { calls, ms: (tookMs * calls) / reads.length, atOnce };
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
