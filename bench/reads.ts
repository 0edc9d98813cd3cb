/**
 * Reading what 10,000 members hold for 5 rules each, compared with one call per wallet and rule, on a development chain in a separate
 * process. Of the baseline only a sample is run and scaled, because the whole takes minutes.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createEvmHoldings } from '@latchkey/chains/evm-holdings';
import type { Question } from '@latchkey/core/ports';
import {
  type DevContracts,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
  startDevChain,
} from '@latchkey/emulators/evm-chain';
import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem';
import { expectBaseline } from './baseline.ts';

const memberCount = 10_000;
const sampled = 2_000;
const atOnce = 10;
const rounds = 3;

interface Served {
  url: string;
  chainId: number;
  contracts: DevContracts;
  minter: Address;
}

const members = Array.from({ length: memberCount }, (_, index): Address => {
  return `0x${(2n ** 150n + BigInt(index) * 7919n).toString(16).padStart(40, '0')}`;
});

async function serve(): Promise<void> {
  const { url, chainId, contracts, accounts } = await startDevChain();
  process.send?.({ url, chainId, contracts, minter: accounts[0]?.address });
}

async function main(): Promise<void> {
  const node = fork(import.meta.filename, ['node'], { stdio: 'inherit' });
  try {
    const [served]: Served[] = await once(node, 'message');
    if (served === undefined) throw new Error('The chain did not start.');
    await compare(served);
  } finally {
    node.kill();
  }
}

async function compare(served: Served): Promise<void> {
  const seededMs = await time(() => seed(served));
  console.log(`${memberCount} holders of three tokens: ${seededMs.toFixed(0)} ms`);
  const ours: number[] = [];
  const oneByOne: number[] = [];
  const together: number[] = [];
  let calls = 0;
  for (let round = 0; round < rounds; round += 1) {
    await send(served, served.contracts.erc20, sampleCoinAbi, 'mintMany', [members.slice(0, 1), 1n]);
    oneByOne.push((await timeNaive(served, sampled, 1)) * (memberCount * 5));
    together.push((await timeNaive(served, sampled, atOnce)) * (memberCount * 5));
    calls = 0;
    const holdings = createEvmHoldings({
      chains: new Map([[String(served.chainId), { urls: [served.url] }]]),
      clock: () => new Date(),
      timeoutMs: 60_000,
      fetch: (url, init) => {
        calls += 1;
        return fetch(url, init);
      },
    });
    const questions = ask(served);
    ours.push(await time(async () => check(await holdings.read(questions))));
  }
  const naiveCalls = memberCount * 5;
  const [value, slow, quick] = [median(ours), median(oneByOne), median(together)];
  console.log(`calls: ${calls}, baseline ${naiveCalls}, ratio ${(naiveCalls / calls).toFixed(0)}`);
  console.log(
    `time: ${value.toFixed(0)} ms, baseline one after the other ${slow.toFixed(0)} ms (${sampled} of ${naiveCalls} calls, scaled), ratio ${(slow / value).toFixed(1)}`,
  );
  console.log(
    `time: ${value.toFixed(0)} ms, baseline ${atOnce} at a time ${quick.toFixed(0)} ms (${sampled} of ${naiveCalls} calls, scaled), ratio ${(quick / value).toFixed(1)}`,
  );
}

async function seed(served: Served): Promise<void> {
  const { erc20, erc721, erc1155 } = served.contracts;
  await send(served, erc20, sampleCoinAbi, 'mintMany', [members, 10n ** 18n]);
  await send(served, erc721, sampleKeysAbi, 'mintMany', [members]);
  await send(served, erc1155, sampleBadgesAbi, 'mintMany', [members, 7n, 3n]);
}

async function send({ url, minter }: Served, to: Address, abi: Abi, functionName: string, args: unknown[]) {
  const data = encodeFunctionData({ abi, functionName, args });
  await rpc(url, 'eth_sendTransaction', [{ from: minter, to, gas: '0xee6b2800', data }]);
}

async function rpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = Object(await response.json());
  if (error) throw new Error(error.message);
  return result;
}

function ask({ chainId, contracts }: Served): Question[] {
  const chain = `evm:${chainId}`;
  return members.flatMap((account): Question[] => [
    { chain, account, needs: 'amount', standard: 'native', reference: 'currency' },
    { chain, account, needs: 'amount', standard: 'erc20', reference: contracts.erc20 },
    { chain, account, needs: 'amount', standard: 'erc721', reference: contracts.erc721 },
    { chain, account, needs: 'amount', standard: 'erc1155', reference: contracts.erc1155, tokenIds: '7' },
    { chain, account, needs: 'amount', standard: 'staking', reference: contracts.staking },
  ]);
}

function check(answers: readonly { kind: string; amount?: string }[]): void {
  const wanted = ['0', '1', '1', '3', '0'];
  const isRight = answers.every((answer, index) => index < 5 || answer.amount === wanted[index % 5]);
  if (!isRight || answers.length !== memberCount * 5) throw new Error('Some holdings were read wrong.');
}

/** Returns the milliseconds per read if each is a separate call, with a fixed number in flight. */
async function timeNaive(served: Served, count: number, width: number): Promise<number> {
  const { erc20, erc721, erc1155, staking } = served.contracts;
  const pad = (value: string) => value.padStart(64, '0');
  const calls = members.slice(0, count / 5).flatMap((member): [method: string, params: unknown[]][] => {
    const account = pad(member.slice(2));
    const call = (to: Address, data: Hex): [string, unknown[]] => ['eth_call', [{ to, data }, 'latest']];
    return [
      ['eth_getBalance', [member, 'latest']],
      call(erc20, `0x70a08231${account}`),
      call(erc721, `0x70a08231${account}`),
      call(erc1155, `0x00fdd58e${account}${pad('7')}`),
      call(staking, `0x70a08231${account}`),
    ];
  });
  const left = calls.values();
  let held = 0;
  const work = async () => {
    for (const [method, params] of left) if (Number(await rpc(served.url, method, params)) > 0) held += 1;
  };
  const tookMs = await time(() => Promise.all(Array.from({ length: width }, work)));
  // Each member holds three of the five.
  expectBaseline(
    held === (calls.length * 3) / 5,
    `One call at a time found ${held} holdings in ${calls.length} calls.`,
  );
  return tookMs / calls.length;
}

async function time(act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return performance.now() - before;
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await (process.argv[2] === 'node' ? serve() : main());
