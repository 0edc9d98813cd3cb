import { Alert, Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { approveWithPasskey, knowsPasskeys } from '../passkeys/ceremonies.ts';
import { type Answer, call, type Input, type ItemOf, useAction, useOperation } from './api/index.ts';
import styles from './treasury.module.css';
import { Dialog, Form, Time, useForm } from './ui/index.ts';
import { coinDecimals, toUnits } from './words.ts';

export type Treasury = Answer<'GET /latchkey/treasuries/{address}'>;
export type TreasuryAction = ItemOf<'GET /latchkey/treasuries/{address}/actions'>;

const kinds: { value: TransferForm['standard']; label: string }[] = [
  { value: 'coin', label: 'Coins of the chain' },
  { value: 'erc20', label: 'Token (ERC-20)' },
  { value: 'erc721', label: 'NFT (ERC-721)' },
  { value: 'erc1155', label: 'NFTs or items (ERC-1155)' },
];

/** Sends something from a wallet: first the amount and recipient, then the approval. What was typed stays until it is sent. */
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
  const propose = useAction('POST /latchkey/treasuries/{address}/transfers');
  const form = useForm<TransferForm>({ standard: 'coin', to: '', amount: '', token: '', tokenId: '' });
  const { standard } = form.values;
  const [isTried, setIsTried] = useState(false);
  const token = useToken(communityId, chainId, standard === 'erc20' ? form.values.token.trim() : undefined);
  const { body, faults } = readTransfer(form.values, token?.decimals);
  const field = (name: Exclude<keyof TransferForm, 'standard'>) => ({
    ...form.text(name),
    maxLength: 100,
    error: isTried ? faults[name] : undefined,
  });
  return (
    <Dialog isOpen={isOpen} title="Send from the wallet" onClose={onClose}>
      {propose.answer !== undefined ? (
        <Approve
          address={address}
          action={propose.answer}
          yes="Approve and send"
          onBack={propose.reset}
          onDone={() => {
            form.reset();
            setIsTried(false);
            propose.reset();
            onClose();
          }}
        />
      ) : (
        <Form
          submit="Review transfer"
          action={propose}
          onSubmit={() => {
            setIsTried(true);
            if (body !== undefined) propose.run({ address, body });
          }}
          onCancel={onClose}
        >
          <Select label="What to send" allowDeselect={false} data={kinds} {...form.choice('standard')} />
          {standard !== 'coin' && (
            <TextInput
              label="Token contract"
              placeholder="0x…"
              description={
                token?.symbol === undefined ? `Its address on ${chainName}.` : `${token.symbol} on ${chainName}`
              }
              {...field('token')}
            />
          )}
          {(standard === 'erc721' || standard === 'erc1155') && (
            <TextInput label="Token number" inputMode="numeric" {...field('tokenId')} />
          )}
          {standard !== 'erc721' && (
            <TextInput
              label="Amount"
              inputMode="decimal"
              description={
                standard === 'erc20' && token?.decimals === undefined
                  ? 'In the token’s smallest unit, because its decimals are unknown here.'
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
        </Form>
      )}
    </Dialog>
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

/** Returns the request of the form, or what is wrong with each of its fields. */
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

/** Shows what will be signed, and requires a passkey or a code as proof that the owner wants exactly this. */
function Approve({
  address,
  action,
  yes,
  onDone,
  onBack,
}: {
  address: string;
  action: TreasuryAction;
  yes: string;
  onDone(): void;
  onBack(): void;
}) {
  const { approval } = action;
  const [code, setCode] = useState('');
  const [passkeyError, setPasskeyError] = useState<unknown>();
  const approve = useAction('POST /latchkey/treasuries/{address}/actions/{actionId}/approve', {
    changes: ['GET /latchkey/treasuries/{address}', 'GET /latchkey/treasuries/{address}/actions'],
    onDone,
  });
  const send = (otp: string) => approve.run({ address, actionId: action.id, body: { otp } });
  const options = approval?.passkeyOptions;
  const takePasskey = async () => {
    if (options === undefined) return;
    setPasskeyError(undefined);
    try {
      send(await approveWithPasskey(call, options));
    } catch (problem) {
      setPasskeyError(problem);
    }
  };
  return (
    <Form
      submit={yes}
      canSubmit={/^\d{6}$/.test(code.trim())}
      action={{ ...approve, error: approve.error ?? passkeyError }}
      onSubmit={() => send(code.trim())}
      buttons={
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
      }
    >
      <ul className={styles.summary} aria-label="What you approve">
        {approval?.summary.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {approval?.warnings.map((warning) => (
        <Alert key={warning} color="yellow" variant="light">
          {warning}
        </Alert>
      ))}
      {options !== undefined && knowsPasskeys() && (
        <Button loading={approve.isRunning} onClick={() => void takePasskey()}>
          {yes} with a passkey
        </Button>
      )}
      <TextInput
        label="Code of your authenticator app"
        description="A passkey or app counts 24 hours after you added it. Add one under My account."
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {approval !== undefined && (
        <p className={styles.note}>
          Approve it until <Time at={approval.expiresAt} />. Nothing moves before.
        </p>
      )}
    </Form>
  );
}

export interface TokenFacts {
  symbol: string | undefined;
  decimals: number | undefined;
}

/** Reads a token from the chain. Only community admins may call this, so it is not available for an organization's wallet. */
export function useToken(
  communityId: string | undefined,
  chainId: number | undefined,
  address: string | undefined,
): TokenFacts | undefined {
  const isKnowable = communityId !== undefined && chainId !== undefined && isAddress(address ?? '');
  const found = useOperation(
    'GET /latchkey/communities/{communityId}/tokens',
    { communityId: communityId ?? '', search: address ?? '', ...(chainId !== undefined && { chainId }) },
    { enabled: isKnowable },
  );
  const token = isKnowable ? found.data?.tokens[0] : undefined;
  return token && { symbol: token.symbol ?? token.name, decimals: token.decimals };
}

/** Permanently makes one of the owner's linked wallets the owner of the Safe. */
export function HandoffDialog({ treasury: { address }, onClose }: { treasury: Treasury; onClose(): void }) {
  const wallets = useOperation('GET /latchkey/account/wallets', {});
  const [newOwner, setNewOwner] = useState<string | null>(null);
  const propose = useAction('POST /latchkey/treasuries/{address}/handoff');
  const own = (wallets.data ?? []).filter(({ accountId }) => accountId.startsWith('evm:'));
  return (
    <Dialog title="Hand the wallet over" onClose={onClose}>
      {propose.answer !== undefined ? (
        <Approve
          address={address}
          action={propose.answer}
          yes="Approve and hand over"
          onBack={propose.reset}
          onDone={onClose}
        />
      ) : (
        <Form
          submit="Review handoff"
          isDangerous
          canSubmit={newOwner !== null}
          action={{ ...propose, error: wallets.error ?? propose.error }}
          onSubmit={() => newOwner !== null && propose.run({ address, body: { newOwner } })}
          onCancel={onClose}
        >
          <p className={styles.note}>
            The wallet you choose becomes the only owner of the Safe. You then use it with your own tools, and this
            server can never move what it holds again.
          </p>
          <Select
            label="New owner"
            placeholder={wallets.isLoading ? 'Loading your wallets …' : 'One of your linked wallets'}
            nothingFoundMessage="Link an Ethereum wallet under My account first."
            data={own.map((wallet) => wallet.address)}
            value={newOwner}
            onChange={setNewOwner}
            description="Only wallets that are linked to your account, so that a typing mistake cannot lose it."
          />
        </Form>
      )}
    </Dialog>
  );
}
