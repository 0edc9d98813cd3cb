import { orRefuseOther } from '../contract-kind.ts';
import { toNumber, toSigned } from '../decode-words.ts';
import type { Hex } from '../node-rpc.ts';
import {
  callData,
  contractOf,
  readDecimals,
  readNumber,
  type Standard,
  toHexAddress,
  toWhole,
  tryWords,
} from '../reading.ts';
import { ContractRefused, Unreadable } from '../unreadable.ts';

const nativeDecimals = 18;
// Superfluid's constant flow agreement has this address on every chain that it supports.
const flowForwarder: Hex = '0xcfa132e353cb4e398080b9700609bb008eceb125';
// A twelfth of 365 days, which is Superfluid's definition of a month.
const secondsPerMonth = 2_628_000n;

export const readNative: Standard = async ({ view, account }) => {
  const words = await tryWords(view, account, '0x');
  if (words === undefined) throw new Unreadable('The node did not return the balance.');
  return { amount: toWhole(toNumber(words[0] ?? ''), nativeDecimals) };
};

export const readErc20: Standard = async (reading) => {
  const contract = contractOf(reading);
  const [units, decimals] = await orRefuseOther(
    Promise.all([
      readNumber(reading.view, contract, callData('balanceOf(address)', reading.account), 'balanceOf'),
      readDecimals(reading, contract),
    ]),
    reading.view,
    contract,
    'erc20',
  );
  return { amount: toWhole(units, decimals) };
};

/** Reads how much of a super token flows from the account to the receiver per month. */
export const readFlow: Standard = async (reading) => {
  const { view, account, question } = reading;
  const token = contractOf(reading);
  const receiver = toHexAddress(question.details?.to ?? '');
  if (receiver === undefined) throw new Unreadable('The receiver of the stream is not an address of this chain.');
  const [words, decimals] = await Promise.all([
    tryWords(view, flowForwarder, callData('getFlowrate(address,address,address)', token, account, receiver)),
    readDecimals(reading, token),
  ]);
  if (words === undefined) throw new ContractRefused(`Superfluid did not return the stream of ${token}.`);
  return { amount: toWhole(toSigned(words[0] ?? '') * secondsPerMonth, decimals) };
};

export const readErc777: Standard = (reading) =>
  reading.question.details?.to === undefined ? readErc20(reading) : readFlow(reading);

/** Reads the shares of a member of a Moloch DAO, version 1 or 2. */
export const readMoloch: Standard = async (reading) => {
  const contract = contractOf(reading);
  const member = await tryWords(reading.view, contract, callData('members(address)', reading.account));
  const shares = member && member.length >= 4 ? member[1] : undefined;
  if (shares === undefined) throw new ContractRefused(`No Moloch contract at ${contract}.`);
  return { amount: toNumber(shares).toString() };
};
