import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import {
  artifactFolder,
  compileNearContract,
  digestOfSources,
  fetchCompiler,
  findCompiler,
  nearContracts,
} from '../testing/compile-near-contracts.ts';

const hint = 'run `node scripts/build-near-contracts.ts`';
const artifact = (name: string) => readFileSync(join(artifactFolder, `${name}.wasm`));

/** The nearcore host functions that a contract on a public network may import. */
const hostFunctions =
  `attached_deposit block_timestamp current_account_id input log_utf8 panic_utf8 predecessor_account_id prepaid_gas
  promise_batch_action_function_call promise_batch_action_transfer promise_batch_create promise_batch_then promise_result
  promise_results_count promise_return read_register register_len sha256 signer_account_id storage_read storage_remove
  storage_usage storage_write value_return`.split(/\s+/);

/** What the standards require, what API operations call besides them, and the callbacks of the contracts. */
const methods: Readonly<Record<(typeof nearContracts)[number], string>> = {
  nft: `new nft_mint add_token_types unlock_token_types get_token_types nft_supply_for_type nft_tokens_for_type
    nft_transfer nft_transfer_call nft_resolve_transfer nft_token nft_metadata nft_approve nft_revoke nft_revoke_all
    nft_is_approved nft_total_supply nft_tokens nft_supply_for_owner nft_tokens_for_owner nft_payout nft_transfer_payout`,
  ft: `new mint ft_transfer ft_transfer_call ft_resolve_transfer ft_total_supply ft_balance_of ft_metadata
    storage_deposit storage_withdraw storage_unregister storage_balance_bounds storage_balance_of`,
  market: `new add_ft_token_ids nft_on_approve ft_on_transfer offer accept_offer resolve_purchase remove_sale update_price
    storage_deposit storage_withdraw storage_minimum_balance storage_balance_of supported_ft_token_ids market_fee get_sale
    get_supply_sales get_supply_by_owner_id get_sales_by_owner_id get_sales_by_nft_contract_id
    get_sales_by_nft_token_type`,
};

for (const name of nearContracts) {
  test(`the compiled contract ${name} has the called methods, and imports only known host functions`, () => {
    const module = new WebAssembly.Module(artifact(name));
    const exported = WebAssembly.Module.exports(module);
    assert.deepEqual(
      exported.flatMap((item) => (item.kind === 'function' ? [item.name] : [])).toSorted(),
      methods[name].split(/\s+/).toSorted(),
    );
    assert.deepEqual(
      exported.filter(({ kind }) => kind !== 'function'),
      [{ name: 'memory', kind: 'memory' }],
    );
    for (const wanted of WebAssembly.Module.imports(module)) {
      assert.deepEqual([wanted.module, wanted.kind], ['env', 'function']);
      assert.ok(hostFunctions.includes(wanted.name), wanted.name);
    }
  });
}

test('the compiled contracts match the sources next to them', () => {
  assert.equal(readFileSync(join(artifactFolder, 'built-from.sha256'), 'utf8').trim(), digestOfSources(), hint);
});

// An ordinary run uses the compiler if it is installed; the deep run installs it.
const compiler = findCompiler() ?? (volume(0, 1) > 0 ? fetchCompiler() : undefined);

test('compiling the sources again gives the same bytes', {
  skip: compiler === undefined && 'no compiler',
}, () => {
  for (const name of nearContracts)
    assert.ok(artifact(name).equals(compileNearContract(compiler ?? '', name)), `${name}: ${hint}`);
});
