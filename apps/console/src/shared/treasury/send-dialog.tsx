import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Input, useAction } from '../api/index.ts';
import { Failure } from '../ui/index.ts';
import { coinDecimals, toUnits } from './amounts.ts';
import { Approve } from './approve.tsx';
import type { Treasury } from './types.ts';
import { useToken } from './use-token.ts';

const kinds: { value: TransferForm['standard']; label: string }[] = [
  { value: 'coin', label: 'Coins of the chain' },
  { value: 'erc20', label: 'Token (ERC-20)' },
  { value: 'erc721', label: 'NFT (ERC-721)' },
  { value: 'erc1155', label: 'NFTs or items (ERC-1155)' },
];

const nothing: TransferForm = { standard: 'coin', to: '', amount: '', token: '', tokenId: '' };

/** Sends something from a wallet: first what and to whom, then the approval. What was typed stays until it is sent. */
export function SendDialog({
  isOpen,
  treasury,
  communityId,
  onClose,
}: {
  isOpen: boolean;
  treasury: Treasury;
  communityId: string | undefined;
  onClose(): void;
}) {
  const { address, chainId, chainName } = treasury;
  const [form, setForm] = useState(nothing);
  const [isTried, setIsTried] = useState(false);
  const token = useToken(communityId, chainId, form.standard === 'erc20' ? form.token.trim() : undefined);
  const propose = useAction('POST /latchkey/treasuries/{address}/transfers');
  const { body, faults } = readTransfer(form, token?.decimals);
  const set = (part: Partial<TransferForm>) => setForm((before) => ({ ...before, ...part }));
  const field = (name: Exclude<keyof TransferForm, 'standard'>) => ({
    value: form[name],
    maxLength: 100,
    error: isTried ? faults[name] : undefined,
    onChange: (event: { currentTarget: HTMLInputElement }) => set({ [name]: event.currentTarget.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (body !== undefined) propose.run({ address, body });
  };
  const isToken = form.standard !== 'coin';
  return (
    <Modal opened={isOpen} onClose={onClose} title="Send from the wallet" data-dialog-open={isOpen || undefined}>
      {propose.answer !== undefined ? (
        <Approve
          address={address}
          action={propose.answer}
          yes="Approve and send"
          onBack={propose.reset}
          onDone={() => {
            setForm(nothing);
            setIsTried(false);
            propose.reset();
            onClose();
          }}
        />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            <Select
              label="What to send"
              allowDeselect={false}
              data={kinds}
              value={form.standard}
              onChange={(value) => set({ standard: kinds.find((kind) => kind.value === value)?.value ?? 'coin' })}
            />
            {isToken && (
              <TextInput
                label="Token contract"
                placeholder="0x…"
                description={
                  token?.symbol === undefined ? `Its address on ${chainName}.` : `${token.symbol} on ${chainName}`
                }
                {...field('token')}
              />
            )}
            {(form.standard === 'erc721' || form.standard === 'erc1155') && (
              <TextInput label="Token number" inputMode="numeric" {...field('tokenId')} />
            )}
            {form.standard !== 'erc721' && (
              <TextInput
                label="Amount"
                inputMode="decimal"
                description={
                  form.standard === 'erc20' && token?.decimals === undefined
                    ? 'In the smallest unit of the token: how many decimals it has is not known here.'
                    : undefined
                }
                {...field('amount')}
              />
            )}
            <TextInput
              label="Receiver"
              placeholder="0x…"
              description="A wallet address on the same chain."
              {...field('to')}
            />
            <Failure error={propose.error} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={propose.isRunning}>
                Review transfer
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

interface TransferForm {
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
function readTransfer(form: TransferForm, tokenDecimals = 0): { body: Body | undefined; faults: Faults } {
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
