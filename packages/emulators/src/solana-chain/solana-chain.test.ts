import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  pipe,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import {
  fetchMint,
  fetchToken,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getInitializeMint2Instruction,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { startSolanaChain } from './index.ts';

type Rpc = ReturnType<typeof createSolanaRpc>;

async function chainFor(t: TestContext) {
  const chain = await startSolanaChain();
  t.after(chain.stop);
  const rpc = createSolanaRpc(chain.url);
  const payer = await generateKeyPairSigner();
  await rpc.requestAirdrop(payer.address, lamports(10_000_000_000n)).send();
  return { chain, rpc, payer };
}

async function sign(rpc: Rpc, payer: KeyPairSigner, instructions: readonly Instruction[]) {
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(latest, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  );
  return signTransactionMessageWithSigners(message);
}

async function send(rpc: Rpc, payer: KeyPairSigner, instructions: readonly Instruction[]) {
  const signed = await sign(rpc, payer, instructions);
  await rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64' }).send();
  return getSignatureFromTransaction(signed);
}

/** The system program's instruction that creates an account for another program. */
function createAccount(payer: KeyPairSigner, account: KeyPairSigner, rent: bigint, space: bigint, owner: Address) {
  const data = new Uint8Array(52);
  const view = new DataView(data.buffer);
  view.setBigUint64(4, rent, true);
  view.setBigUint64(12, space, true);
  data.set(getAddressEncoder().encode(owner), 20);
  const accounts = [payer, account].map((signer) => ({ address: signer.address, role: 3 as const, signer }));
  return { programAddress: address('11111111111111111111111111111111'), accounts, data };
}

async function mintCoins(rpc: Rpc, payer: KeyPairSigner, amount: bigint) {
  const mint = await generateKeyPairSigner();
  const rent = await rpc.getMinimumBalanceForRentExemption(82n).send();
  const [token] = await findAssociatedTokenPda({
    owner: payer.address,
    mint: mint.address,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  await send(rpc, payer, [
    createAccount(payer, mint, rent, 82n, TOKEN_PROGRAM_ADDRESS),
    getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: payer.address }),
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: payer.address, mint: mint.address }),
    getMintToInstruction({ mint: mint.address, token, mintAuthority: payer, amount }),
  ]);
  return { mint: mint.address, token };
}

test('a token is minted, sent and read back by the client library of Solana', async (t) => {
  const { rpc, payer } = await chainFor(t);
  const friend = await generateKeyPairSigner();
  const { mint, token } = await mintCoins(rpc, payer, 1_000_000n);
  const [theirs] = await findAssociatedTokenPda({ owner: friend.address, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const signature = await send(rpc, payer, [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: friend.address, mint }),
    getTransferCheckedInstruction({
      source: token,
      mint,
      destination: theirs,
      authority: payer,
      amount: 250_000n,
      decimals: 6,
    }),
  ]);
  const { value: statuses } = await rpc.getSignatureStatuses([signature]).send();
  assert.deepEqual([statuses[0]?.err, statuses[0]?.confirmationStatus], [null, 'finalized']);
  assert.equal((await fetchToken(rpc, theirs)).data.amount, 250_000n);
  const { value: balance } = await rpc.getTokenAccountBalance(token).send();
  assert.equal(balance.amount, '750000');
  const { value: accounts } = await rpc
    .getTokenAccountsByOwner(friend.address, { mint }, { encoding: 'jsonParsed' })
    .send();
  const [held] = accounts;
  assert.equal(held?.pubkey, theirs);
  assert.equal(held.account.data.parsed.info.tokenAmount.uiAmountString, '0.25');
  const { value: several } = await rpc
    .getMultipleAccounts([mint, theirs, friend.address], { encoding: 'base64' })
    .send();
  assert.deepEqual(
    several.map((account) => account?.owner ?? null),
    [TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS, null],
  );
});

test('transactions that fail, are repeated or name an expired block are refused with the reason', async (t) => {
  const { chain, rpc, payer } = await chainFor(t);
  const { mint, token } = await mintCoins(rpc, payer, 10n);
  const pay = (amount: bigint) =>
    getTransferCheckedInstruction({ source: token, mint, destination: token, authority: payer, amount, decimals: 6 });
  await assert.rejects(send(rpc, payer, [pay(11n)]), (error) =>
    isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
  );
  const fine = await sign(rpc, payer, [pay(1n)]);
  const wire = getBase64EncodedWireTransaction(fine);
  await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
  await assert.rejects(rpc.sendTransaction(wire, { encoding: 'base64' }).send());
  const late = getBase64EncodedWireTransaction(await sign(rpc, payer, []));
  for (let slot = 0; slot < 150; slot += 1) chain.nextSlot();
  await assert.rejects(rpc.sendTransaction(late, { encoding: 'base64' }).send(), (error) => {
    return error instanceof Error && /blockhash/i.test(`${error.message} ${String(error.cause)}`);
  });
});

test('the slot advances with each transaction, and a future slot is refused', async (t) => {
  const { chain, rpc, payer } = await chainFor(t);
  const before = await rpc.getSlot().send();
  await mintCoins(rpc, payer, 1n);
  assert.equal(await rpc.getSlot().send(), before + 1n);
  const future = { minContextSlot: BigInt(chain.slot) + 1n };
  await assert.rejects(rpc.getBalance(payer.address, future).send(), /[Mm]inimum context slot/);
  chain.nextSlot();
  const { context, value } = await rpc.getBalance(payer.address, future).send();
  assert.equal(context.slot, BigInt(chain.slot));
  assert.ok(value > 9_000_000_000n);
});

test('mints and balances written directly are recognized by the programs', async (t) => {
  const { chain, rpc, payer } = await chainFor(t);
  const { address: mint } = await generateKeyPairSigner();
  chain.setMint({ mint, decimals: 2, supply: 500n });
  await chain.setBalance({ mint, owner: payer.address, amount: 500n });
  const [token] = await findAssociatedTokenPda({ owner: payer.address, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  assert.deepEqual([(await fetchMint(rpc, mint)).data.decimals, (await fetchToken(rpc, token)).data.amount], [2, 500n]);
  const friend = await generateKeyPairSigner();
  const [theirs] = await findAssociatedTokenPda({ owner: friend.address, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  await send(rpc, payer, [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner: friend.address, mint }),
    getTransferCheckedInstruction({
      source: token,
      mint,
      destination: theirs,
      authority: payer,
      amount: 499n,
      decimals: 2,
    }),
  ]);
  assert.equal((await fetchToken(rpc, theirs)).data.amount, 499n);
});

test('the emulator refuses what a node refuses', async (t) => {
  const { chain, rpc, payer } = await chainFor(t);
  const many = Array(101).fill(payer.address);
  await assert.rejects(rpc.getMultipleAccounts(many, { encoding: 'base64' }).send(), /Too many inputs/);
  const ask = async (body: unknown) => {
    const answer = await fetch(chain.url, { method: 'POST', body: JSON.stringify(body) });
    return answer.json();
  };
  assert.equal((await ask({ jsonrpc: '2.0', id: 1, method: 'getSupply' })).error.code, -32601);
  assert.equal((await ask({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: ['nobody'] })).error.code, -32602);
  const batch = await ask([
    { jsonrpc: '2.0', id: 1, method: 'getHealth' },
    { jsonrpc: '2.0', id: 2, method: 'getGenesisHash' },
  ]);
  assert.deepEqual(
    batch.map(({ result }: { result: unknown }) => result),
    ['ok', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
  );
});

test('the digital asset index returns its assets page by page', async (t) => {
  const { chain, payer } = await chainFor(t);
  for (let id = 0; id < 5; id += 1) chain.assets.push({ id: `asset-${id}`, owner: payer.address, isCompressed: true });
  chain.assets.push({ id: 'other', owner: 'alice' });
  const page = async (params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getAssetsByOwner', params });
    return (await fetch(chain.url, { method: 'POST', body })).json();
  };
  const { result } = await page({ ownerAddress: payer.address, page: 2, limit: 3 });
  assert.deepEqual(
    result.items.map(({ id }: { id: string }) => id),
    ['asset-3', 'asset-4'],
  );
  assert.equal((await page({ ownerAddress: payer.address, limit: 1001 })).error.code, -32000);
});
