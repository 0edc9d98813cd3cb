import type { StakableAsset, StakingContract } from '@latchkey/core/ports';
import { type ChainView, remember } from '../chain-view.ts';
import { listAt, toAddress, toNumber } from '../decode-words.ts';
import type { Hex } from '../node-rpc.ts';
import {
  callData,
  contractOf,
  findDecimals,
  type Holding,
  type Reading,
  readWords,
  type Standard,
  toWhole,
  tryWords,
} from '../reading.ts';
import { type StakingAdapter, stakingAdapters } from '../staking-adapters.ts';
import { ContractRefused, NotCallable } from '../unreadable.ts';

/** Creates a reader of the amount that a wallet staked in a contract, by the contract's description or one of the known interfaces. */
export function createStakingStandard(described: readonly StakingContract[]): Standard {
  return async (reading) => {
    const contract = contractOf(reading);
    const { chainId } = reading.view.chain;
    const known = described.find((one) => String(one.chainId) === chainId && one.address.toLowerCase() === contract);
    if (known !== undefined) return readDescribed(reading, contract, assetOf(reading, known));
    const adapter = await findAdapter(reading, contract);
    return readAdapted(reading, contract, adapter);
  };
}

function assetOf({ question }: Reading, { name, assets }: StakingContract): StakableAsset {
  const wanted = question.details?.asset?.trim().toLowerCase();
  const asset = wanted === undefined ? assets[0] : assets.find((one) => one.name.toLowerCase() === wanted);
  if (asset === undefined) throw new NotCallable(`${name} has no asset with this name.`);
  return asset;
}

async function readDescribed(reading: Reading, contract: Hex, { read, decimals }: StakableAsset): Promise<Holding> {
  const [, name = '', returns = ''] = /^function (\w+)\(address\) view returns \((.*)\)$/.exec(read) ?? [];
  const data = callData(`${name}(address)`, reading.account);
  const words = await readWords(reading.view, contract, data, name);
  if (returns.startsWith('uint256[]')) return toTokens(words, contract);
  return { amount: toWhole(toNumber(words[0] ?? ''), decimals) };
}

/** Finds the interface of a contract. It never changes, so the result is cached. */
function findAdapter({ view, account, question }: Reading, contract: Hex): Promise<StakingAdapter> {
  const wanted = question.details?.adapter;
  const tried = wanted === undefined ? stakingAdapters : stakingAdapters.filter(({ id }) => id === wanted);
  return remember(view.chain.constants, `${view.quorum} staking ${contract} ${wanted ?? ''}`, async () => {
    const answers = await Promise.all(tried.map(({ read }) => tryWords(view, contract, callData(read, account))));
    const found = tried.find(({ gives }, index) => {
      const words = answers[index];
      return words !== undefined && (gives === 'amount' ? words.length === 1 : listAt(words, 0) !== undefined);
    });
    if (found === undefined) throw new ContractRefused(`The contract ${contract} is not a supported staking contract.`);
    return found;
  });
}

async function readAdapted({ view, account }: Reading, contract: Hex, adapter: StakingAdapter): Promise<Holding> {
  const words = await readWords(view, contract, callData(adapter.read, account), adapter.read);
  if (adapter.gives === 'tokens') return toTokens(words, contract);
  const decimals = await decimalsOf(view, contract, adapter);
  return { amount: toWhole(toNumber(words[0] ?? ''), decimals) };
}

// The staked asset may be a collection, whose tokens are counted: it has no decimals.
async function decimalsOf(view: ChainView, contract: Hex, { tokenFrom }: StakingAdapter): Promise<number> {
  const answers = await Promise.all(tokenFrom.map((name) => tryWords(view, contract, callData(name))));
  const [token] = answers.flatMap((words) => toAddress(words?.[0] ?? '') ?? []);
  return token === undefined ? 0 : ((await findDecimals(view, token)) ?? 0);
}

function toTokens(words: readonly string[], contract: Hex): Holding {
  const ids = listAt(words, 0);
  if (ids === undefined) throw new ContractRefused(`The contract ${contract} did not list what is staked.`);
  const tokens = ids.map((id) => ({ id: toNumber(id).toString(), amount: '1' }));
  return { amount: String(ids.length), tokens };
}
