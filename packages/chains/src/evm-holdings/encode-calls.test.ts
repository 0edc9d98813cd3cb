import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { multicall3Abi } from '@latchkey/emulators/evm-chain';
import { seed, volume } from '@latchkey/test-kit';
import solc from 'solc';
import { concatHex, encodeAbiParameters, encodeFunctionData, type Hex, numberToHex, parseAbiParameters } from 'viem';
import { mutateHex, seededRandom } from '../../vectors/mutate.ts';
import { readManyCode, readPackedCode } from './contracts/code.ts';
import { decodeAggregate3, decodeReadMany, type EvmCall, encodeAggregate3, encodeReadMany } from './encode-calls.ts';
import { isPackable, packCalls, unpackOutcomes } from './encode-packed.ts';

const multicall: Hex = '0xca11bde05977b3631167028862be2a173976ca11';
const someone: Hex = '0x00000000000000000000000000000000000000ab';
const calls: EvmCall[] = [
  { to: someone, data: '0x70a08231' },
  { to: multicall, data: `0x70a08231${'0'.repeat(64)}` },
  { to: someone, data: '0x' },
];
const results = [numberToHex(31337, { size: 32 }), numberToHex(9, { size: 32 }), numberToHex(1700000000, { size: 32 })]
  .map((returnData) => ({ success: true, returnData }))
  .concat([
    { success: true, returnData: '0x' },
    { success: false, returnData: '0x08c379a0' },
    { success: true, returnData: numberToHex(5, { size: 32 }) },
  ]);
const resultType = parseAbiParameters(['Result[] results', 'struct Result { bool success; bytes returnData; }']);

describe('many calls in one', () => {
  it('are encoded as an ABI library encodes them', () => {
    const where: Hex[] = ['0x3408e470', '0x42cbb15c', '0x0f28c97d'];
    const balance: Hex = `0x4d2301cc${someone.slice(2).padStart(64, '0')}`;
    const args = [
      ...where.map((callData) => ({ target: multicall, callData })),
      { target: someone, callData: '0x70a08231' as const },
      { target: multicall, callData: calls[1]?.data ?? '0x' },
      { target: multicall, callData: balance },
    ].map((call) => ({ ...call, allowFailure: true }) as const);
    const expected = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [args] });
    assert.equal(encodeAggregate3(multicall, calls), expected.toLowerCase());
  });

  it('are decoded as an ABI library encodes their results', () => {
    const { chainId, blockNumber, timestampSeconds, outcomes } = decodeAggregate3(
      encodeAbiParameters(resultType, [results]),
      3,
    );
    assert.deepEqual([chainId, blockNumber, timestampSeconds], [31337n, 9n, 1700000000n]);
    assert.deepEqual(outcomes, [
      { isReturned: true, data: '' },
      { isReturned: false, data: '08c379a0' },
      { isReturned: true, data: numberToHex(5, { size: 32 }).slice(2) },
    ]);
  });

  it('a corrupted result affects only itself', () => {
    const sown = seed('tampered answers');
    const random = seededRandom(sown);
    const answer = encodeAbiParameters(resultType, [results]);
    for (let round = 0; round < volume(2_000, 20_000); round += 1) {
      const changed = mutateHex(random, answer) as Hex;
      for (const decode of [decodeAggregate3, decodeReadMany]) {
        try {
          assert.equal(decode(changed, 3).outcomes.length, 3, `seed ${sown}: ${changed}`);
        } catch (error) {
          assert.match(String(error), /cannot be decoded|BigInt/);
        }
      }
    }
  });

  it('the bytecode matches its compiled sources', () => {
    const names = ['ReadMany', 'ReadPacked'];
    const read = (name: string) => readFileSync(new URL(`contracts/${name}.sol`, import.meta.url), 'utf8');
    const sources = Object.fromEntries(names.map((name) => [name, { content: read(name) }]));
    const settings = {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'london',
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    };
    const { contracts } = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings })));
    assert.equal(readManyCode, `0x${contracts.ReadMany.ReadMany.evm.bytecode.object}`);
    assert.equal(readPackedCode, `0x${contracts.ReadPacked.ReadPacked.evm.deployedBytecode.object}`);
  });

  it('without Multicall3 they are encoded as constructor arguments', () => {
    const types = parseAbiParameters(['Call[] calls', 'struct Call { address target; bytes callData; }']);
    const args = encodeAbiParameters(types, [calls.map(({ to, data }) => ({ target: to, callData: data }))]);
    assert.equal(encodeReadMany(calls), concatHex([readManyCode as Hex, args]));
  });
});

describe('packed calls', () => {
  const account = 'ab'.repeat(20);
  const balanceOf = (owner: string, tail = ''): EvmCall => ({
    to: someone,
    data: `0x70a08231${'0'.repeat(24)}${owner}${tail}`,
  });

  it('name a function once for all members, and a member once for all functions', () => {
    const [other, third] = ['cd'.repeat(20), 'ef'.repeat(20)];
    const native = (owner: string): EvmCall => ({ to: `0x${owner}`, data: '0x' });
    const { data, order } = packCalls([
      balanceOf(account),
      native(account),
      balanceOf(third, '0'.repeat(64)),
      balanceOf(other),
      native(other),
    ]);
    const head = `${someone.slice(2)}70a08231`;
    assert.equal(
      data,
      `0x${'0000320002'}${head}00${'0'.repeat(50)}${account}${other}${'0000390001'}${head}20${'0'.repeat(64)}${third}`,
    );
    assert.deepEqual(order, [0, 3, 1, 4, 2]);
  });

  it('are reads whose first argument fits into twenty bytes', () => {
    assert.ok(isPackable(balanceOf(account)) && isPackable(balanceOf(account, '1'.repeat(64))));
    assert.ok(isPackable({ to: someone, data: '0x' }));
    assert.ok(!isPackable({ to: someone, data: '0x313ce567' }));
    assert.ok(!isPackable({ to: someone, data: `0x6352211e${'f'.repeat(64)}` }));
  });

  it('are decoded into their places, and truncated or oversized data is refused', () => {
    const where = [31337, 9, 1700000000].map((value) => numberToHex(value, { size: 32 }).slice(2)).join('');
    const answer: Hex = `0x${where}8001aa${'0000'}0002bbcc`;
    assert.deepEqual(unpackOutcomes(answer, [2, 0, 1]).outcomes, [
      { isReturned: false, data: '' },
      { isReturned: false, data: 'bbcc' },
      { isReturned: true, data: 'aa' },
    ]);
    assert.equal(unpackOutcomes(answer, [2, 0, 1]).blockNumber, 9n);
    assert.throws(() => unpackOutcomes(answer, [0, 1]), /cannot be decoded/);
    assert.throws(() => unpackOutcomes(answer, [0, 1, 2, 3]), /cannot be decoded/);
    assert.throws(() => unpackOutcomes('0x', [0]), /cannot be decoded/);
  });
});
