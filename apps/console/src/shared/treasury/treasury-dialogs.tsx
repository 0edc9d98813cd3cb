import { Alert, Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { approveWithPasskey, knowsPasskeys } from '../../passkeys/ceremonies.ts';
import { type Answer, call, type Input, type ItemOf, useAction, useOperation } from '../api/index.ts';
import { t as shared } from '../messages/index.ts';
import { Dialog, Form, Time, useForm } from '../ui/index.ts';
import { coinDecimals, toUnits } from '../words.ts';
import { t } from './messages/index.ts';
import styles from './treasury.module.css';

export type Treasury = Answer<'GET /latchkey/treasuries/{address}'>;
export type TreasuryAction = ItemOf<'GET /latchkey/treasuries/{address}/actions'>;

const standards = ['coin', 'erc20', 'erc721', 'erc1155'] as const;

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
    <Dialog isOpen={isOpen} title={t('send.title')} onClose={onClose}>
      {propose.answer !== undefined ? (
        <Approve
          address={address}
          action={propose.answer}
          purpose="send"
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
          submit={t('send.review')}
          action={propose}
          onSubmit={() => {
            setIsTried(true);
            if (body !== undefined) propose.run({ address, body });
          }}
          onCancel={onClose}
        >
          <Select
            label={t('send.what')}
            allowDeselect={false}
            data={standards.map((value) => ({ value, label: t(`send.${value}`) }))}
            {...form.choice('standard')}
          />
          {standard !== 'coin' && (
            <TextInput
              label={t('send.contract')}
              placeholder="0x…"
              description={
                token?.symbol === undefined
                  ? t('send.contractOn', { chain: chainName })
                  : t('send.tokenOn', { token: token.symbol, chain: chainName })
              }
              {...field('token')}
            />
          )}
          {(standard === 'erc721' || standard === 'erc1155') && (
            <TextInput label={t('send.number')} inputMode="numeric" {...field('tokenId')} />
          )}
          {standard !== 'erc721' && (
            <TextInput
              label={t('send.amount')}
              inputMode="decimal"
              description={standard === 'erc20' && token?.decimals === undefined ? t('send.inSmallestUnit') : undefined}
              {...field('amount')}
            />
          )}
          <TextInput
            label={t('send.receiver')}
            placeholder="0x…"
            description={t('send.receiverHow')}
            {...field('to')}
          />
        </Form>
      )}
    </Dialog>
  );
}

interface TransferForm {
  standard: (typeof standards)[number];
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
    ...(!isAddress(to) && { to: t('send.addressWrong') }),
    ...(standard !== 'coin' && !isAddress(token) && { token: t('send.contractWrong') }),
    ...(needsNumber && !/^\d{1,78}$/.test(tokenId.trim()) && { tokenId: t('send.numberWrong') }),
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
  return decimals === 0 ? t('send.amountNotWhole') : t('send.amountWrong', { decimals });
}

/** Shows what will be signed, and requires a passkey or a code as proof that the owner wants exactly this. */
function Approve({
  address,
  action,
  purpose,
  onDone,
  onBack,
}: {
  address: string;
  action: TreasuryAction;
  purpose: 'send' | 'handOver';
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
      submit={t(`approve.${purpose}`)}
      canSubmit={/^\d{6}$/.test(code.trim())}
      action={{ ...approve, error: approve.error ?? passkeyError }}
      onSubmit={() => send(code.trim())}
      buttons={
        <Button variant="default" onClick={onBack}>
          {shared('common.back')}
        </Button>
      }
    >
      <ul className={styles.summary} aria-label={t('approve.what')}>
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
          {t(`approve.${purpose}ByPasskey`)}
        </Button>
      )}
      <TextInput
        label={t('approve.code')}
        description={t('approve.codeNote')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {approval !== undefined && (
        <p className={styles.note}>{t.rich('approve.until', { time: <Time key="time" at={approval.expiresAt} /> })}</p>
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
    <Dialog title={t('handOver.title')} onClose={onClose}>
      {propose.answer !== undefined ? (
        <Approve address={address} action={propose.answer} purpose="handOver" onBack={propose.reset} onDone={onClose} />
      ) : (
        <Form
          submit={t('handOver.review')}
          isDangerous
          canSubmit={newOwner !== null}
          action={{ ...propose, error: wallets.error ?? propose.error }}
          onSubmit={() => newOwner !== null && propose.run({ address, body: { newOwner } })}
          onCancel={onClose}
        >
          <p className={styles.note}>{t('handOver.about')}</p>
          <Select
            label={t('handOver.newOwner')}
            placeholder={t(wallets.isLoading ? 'handOver.loading' : 'handOver.choose')}
            nothingFoundMessage={t('handOver.noWallet')}
            data={own.map((wallet) => wallet.address)}
            value={newOwner}
            onChange={setNewOwner}
            description={t('handOver.newOwnerWhy')}
          />
        </Form>
      )}
    </Dialog>
  );
}
