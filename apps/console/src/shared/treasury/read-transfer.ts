import type { Input } from '../api/index.ts';
import { coinDecimals, toUnits } from './amounts.ts';

export interface TransferForm {
  standard: 'coin' | 'erc20' | 'erc721' | 'erc1155';
  to: string;
  amount: string;
  token: string;
  tokenId: string;
}

type Body = Input<'POST /latchkey/treasuries/{address}/transfers'>['body'];
type Faults = Partial<Record<keyof TransferForm, string>>;

const isAddress = (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text.trim());

/** What the form asks for, or what is wrong with each of its fields. */
export function readTransfer(form: TransferForm, tokenDecimals = 0): { body: Body | undefined; faults: Faults } {
  const { standard, to, token, tokenId } = form;
  const decimals = standard === 'coin' ? coinDecimals : standard === 'erc20' ? tokenDecimals : 0;
  const amount = standard === 'erc721' ? undefined : toUnits(form.amount, decimals);
  const needsNumber = standard === 'erc721' || standard === 'erc1155';
  const faults: Faults = {
    ...(!isAddress(to) && { to: 'Enter an address: 0x and 40 hexadecimal digits.' }),
    ...(standard !== 'coin' && !isAddress(token) && { token: 'Enter the address of the token contract.' }),
    ...(needsNumber && !/^\d{1,78}$/.test(tokenId.trim()) && { tokenId: 'Enter the number of the token.' }),
    ...(standard !== 'erc721' && amount === undefined && { amount: sayAmount(decimals) }),
  };
  if (Object.keys(faults).length > 0) return { body: undefined, faults };
  return {
    faults,
    body: {
      standard,
      to: to.trim(),
      ...(amount !== undefined && { amount }),
      ...(standard !== 'coin' && { token: token.trim() }),
      ...(needsNumber && { tokenId: String(BigInt(tokenId.trim())) }),
    },
  };
}

function sayAmount(decimals: number): string {
  return decimals === 0
    ? 'Enter a whole number above 0.'
    : `Enter a number above 0, with a point and at most ${decimals} decimals.`;
}
