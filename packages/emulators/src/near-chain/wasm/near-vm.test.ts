import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ContractPanic } from '../contracts/contract.ts';
import { artifactFolder } from '../testing/compile-near-contracts.ts';
import { blockTimestamp, openNearVm, prepaidGas, refusalOf, type Step, type StepOutcome } from '../testing/near-vm.ts';
import type { Action } from '../transaction.ts';
import { runWasm } from './run-wasm.ts';
import type { ByteStorage } from './wasm-context.ts';

const near = 10n ** 24n;
const [alice, bob, owner] = ['alice.near', 'bob.near', 'owner.near'];
const view = (method: string, args: object = {}): Step => ({ by: alice, method, args, isView: true });

/** The storage of one contract, which counts bytes like a machine without configuration: no overhead per entry. */
function plainStorage(): ByteStorage {
  const kept = new Map<string, Uint8Array>();
  const nameOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
  return {
    get: (key) => kept.get(nameOf(key)),
    set: (key, value) => {
      if (value === undefined) kept.delete(nameOf(key));
      else kept.set(nameOf(key), value);
    },
    usage: () => [...kept].reduce((sum, [key, value]) => sum + key.length + value.length, 0),
  };
}

/** The same contract on the emulator's host functions. */
function openEmulator(contract: string, account: string) {
  const module = new WebAssembly.Module(readFileSync(join(artifactFolder, `${contract}.wasm`)));
  const storage = plainStorage();
  const run = ({ by, signer = by, method, args = {}, deposit = 0n, isView = false }: Step): StepOutcome => {
    const logs: string[] = [];
    const call = {
      predecessor: by,
      signer,
      deposit,
      gas: prepaidGas,
      results: [],
      log: (line: string) => void logs.push(line),
    };
    const outcome = runWasm(module, method, {
      account,
      args: Buffer.from(JSON.stringify(args)),
      timestampNs: blockTimestamp,
      storage,
      call: isView ? undefined : call,
    });
    assert.ok(outcome, method);
    return {
      value: Buffer.from(outcome.value).toString(),
      logs,
      receipts: outcome.promises.map(({ receiverId, after, actions }) => ({
        receiver: receiverId,
        after,
        actions: actions.map(showAction),
      })),
      returned: outcome.returned,
    };
  };
  return { run };
}

function showAction(action: Action): object {
  if (action.kind === 'Transfer') return { Transfer: { deposit: String(action.deposit) } };
  assert.ok(action.kind === 'FunctionCall');
  const { method, args, gas, deposit } = action;
  return {
    FunctionCall: {
      method_name: method,
      args: Buffer.from(args).toString(),
      gas: String(gas),
      deposit: String(deposit),
    },
  };
}

const metadata = { spec: 'nft-1.0.0', name: 'Art "é✨"', symbol: 'ART' };
const token = { token_id: '1' };
const named = { nft_contract_id: 'art.near', token_id: '1' };
const sold = { ...token, owner_id: alice, approval_id: 3 };
const terms = JSON.stringify({ sale_conditions: { near: String(near), 'coin.near': '7' }, token_type: 'print' });

const stories: Readonly<Record<string, { account: string; steps: Step[]; promised: string[]; refused: Step[] }>> = {
  ft: {
    account: 'coin.near',
    steps: [
      { by: owner, method: 'new', args: { owner_id: alice, total_supply: String(2n ** 128n - 11n), metadata } },
      view('ft_balance_of', { account_id: alice }),
      { by: alice, method: 'storage_deposit', args: { account_id: bob }, deposit: near },
      { by: alice, method: 'ft_transfer', args: { receiver_id: bob, amount: String(2n ** 64n + 7n) }, deposit: 1n },
      view('ft_balance_of', { account_id: bob }),
      { by: alice, method: 'ft_transfer_call', args: { receiver_id: bob, amount: '5', msg: '{}' }, deposit: 1n },
      { by: bob, method: 'storage_unregister', args: { force: true }, deposit: 1n },
      view('storage_balance_of', { account_id: bob }),
      view('ft_total_supply'),
      view('ft_metadata'),
    ],
    promised: ['ft_on_transfer', 'ft_resolve_transfer'],
    refused: [
      { by: bob, method: 'ft_transfer', args: { receiver_id: alice, amount: '1' }, deposit: 1n },
      { by: alice, method: 'ft_transfer', args: { receiver_id: alice, amount: '1' }, deposit: 1n },
      { by: bob, method: 'mint', args: { account_id: alice, amount: '1' } },
      { by: alice, method: 'ft_transfer', args: { receiver_id: bob, amount: '-1' }, deposit: 1n },
    ],
  },
  nft: {
    account: 'art.near',
    steps: [
      { by: owner, method: 'new', args: { owner_id: owner, metadata } },
      {
        by: owner,
        method: 'nft_mint',
        args: { ...token, metadata: { title: 'First' }, receiver_id: alice, perpetual_royalties: { [owner]: 1000 } },
        deposit: near,
      },
      view('nft_token', token),
      view('nft_payout', { ...token, balance: String(near + 1n), max_len_payout: 10 }),
      { by: alice, method: 'nft_approve', args: { ...token, account_id: 'market.near', msg: '{}' }, deposit: near },
      view('nft_is_approved', { ...token, approved_account_id: 'market.near' }),
      { by: alice, method: 'nft_revoke_all', args: token, deposit: 1n },
      { by: alice, method: 'nft_transfer', args: { ...token, receiver_id: bob }, deposit: 1n },
      { by: bob, method: 'nft_transfer_call', args: { ...token, receiver_id: alice, msg: 'hi' }, deposit: 1n },
      view('nft_tokens_for_owner', { account_id: alice }),
      view('nft_total_supply'),
      view('nft_metadata'),
    ],
    promised: ['nft_on_approve', 'nft_on_transfer', 'nft_resolve_transfer'],
    refused: [
      { by: bob, method: 'nft_transfer', args: { ...token, receiver_id: bob }, deposit: 1n },
      { by: bob, method: 'nft_mint', args: { token_id: '2', metadata: {}, receiver_id: bob }, deposit: near },
      { by: owner, method: 'new', args: { owner_id: bob, metadata } },
    ],
  },
  market: {
    account: 'market.near',
    steps: [
      { by: owner, method: 'new', args: { owner_id: owner, ft_token_ids: ['coin.near'] } },
      { by: alice, method: 'storage_deposit', args: {}, deposit: near },
      view('storage_balance_of', { account_id: alice }),
      view('supported_ft_token_ids'),
      view('market_fee'),
      view('get_supply_sales'),
      { by: 'art.near', signer: alice, method: 'nft_on_approve', args: { ...sold, msg: terms } },
      view('get_sale', { nft_contract_token: 'art.near||1' }),
      view('get_sales_by_owner_id', { account_id: alice }),
      { by: bob, method: 'offer', args: named, deposit: near / 2n },
      view('get_sale', { nft_contract_token: 'art.near||1' }),
      {
        by: alice,
        method: 'update_price',
        args: { ...named, ft_token_id: 'near', price: String(2n * near) },
        deposit: 1n,
      },
      { by: bob, method: 'offer', args: named, deposit: 2n * near },
      { by: owner, method: 'add_ft_token_ids', args: { ft_token_ids: ['other.near'] }, deposit: 1n },
      view('supported_ft_token_ids'),
      { by: alice, method: 'storage_withdraw', args: {}, deposit: 1n },
      view('storage_balance_of', { account_id: alice }),
    ],
    promised: ['nft_transfer_payout', 'resolve_purchase'],
    refused: [
      { by: bob, method: 'add_ft_token_ids', args: { ft_token_ids: ['bad.near'] }, deposit: 1n },
      { by: bob, method: 'offer', args: { nft_contract_id: 'art.near', token_id: '1' }, deposit: near },
    ],
  },
};

describe('on NEAR’s own VM logic', () => {
  for (const [contract, { account, steps, promised, refused }] of Object.entries(stories)) {
    test(`the compiled contract ${contract} returns, logs and promises what it does on the emulator`, () => {
      const [machine, emulator] = [openNearVm(contract, account), openEmulator(contract, account)];
      const outcomes = steps.map((step) => {
        const outcome = machine.run(step);
        assert.deepEqual(outcome, emulator.run(step), step.method);
        return outcome;
      });
      const actions = outcomes.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.actions));
      const calls = actions.flatMap((action) => Object(action).FunctionCall?.method_name ?? []);
      assert.deepEqual(calls, promised);
    });

    test(`the compiled contract ${contract} refuses in the same words`, () => {
      const emulator = openEmulator(contract, account);
      for (const step of steps) emulator.run(step);
      for (const step of refused) {
        const machine = openNearVm(contract, account);
        for (const before of steps) machine.run(before);
        const sentence = refusalOf(() => machine.run(step));
        assert.ok(sentence, `${step.method} was not refused`);
        assert.throws(
          () => emulator.run(step),
          (error) => error instanceof ContractPanic && error.message === sentence,
        );
      }
    });
  }
});
