import { ApiError, type CallResult } from '@latchkey/client';
import type { Call } from '../api.ts';
import { t } from '../messages/index.ts';
import { shortAddress } from '../parts/names.ts';
import type { BrowserWallet, OpenAccount } from '../wallets/wallet.ts';

type Answer = CallResult<'PUT /wallet-manager/wallet-connections'>;

/** Which account is to be linked, and by whose signature if it is a contract. */
export interface Target {
  accountId: string;
  gnosisSignerAddress?: string;
  proxyType?: string;
}

/** What an account signs for: itself, a Safe it owns, or a DSProxy of its own. */
export type Holder = { kind: 'wallet' } | { kind: 'safe'; address: string } | { kind: 'dsproxy' };

export type Outcome =
  | { kind: 'linked'; address: string; isNew: boolean }
  | { kind: 'taken'; address: string; resetToken: string }
  | { kind: 'choose'; state: string; proxies: readonly string[] }
  | { kind: 'refused'; text: string };

export type MessageOrOutcome = { kind: 'sign'; message: string; state: string } | Outcome;

/** Links an account of a wallet in this browser. The message comes from the server; the wallet signs it and nothing else. */
export async function connectWallet(
  call: Call,
  wallet: BrowserWallet,
  { communityId, holder, onStep }: { communityId: string | undefined; holder: Holder; onStep(text: string): void },
): Promise<Outcome> {
  onStep(t('sign.chooseAccount', { wallet: wallet.name }));
  const account = await wallet.open();
  const target = targetOf(account, wallet.namespace === 'evm' ? holder : { kind: 'wallet' });
  const request = await askForMessage(call, target, communityId);
  if (request.kind !== 'sign') return request;
  onStep(t('sign.inWallet', { wallet: wallet.name, address: shortAddress(account.address) }));
  const signature = await account.sign(request.message);
  onStep(t('sign.checking'));
  return sendSignature(call, target, { state: request.state, signature });
}

function targetOf({ accountId, address }: OpenAccount, holder: Holder): Target {
  if (holder.kind === 'wallet') return { accountId };
  if (holder.kind === 'dsproxy') return { accountId, proxyType: 'dsproxy' };
  const chain = accountId.split(':', 2).join(':');
  return { accountId: `${chain}:${holder.address.trim()}`, gnosisSignerAddress: address };
}

/** Asks for the message to sign; for a community, if the person is known there. */
export async function askForMessage(
  call: Call,
  target: Target,
  communityId: string | undefined,
): Promise<MessageOrOutcome> {
  const isPlain = target.gnosisSignerAddress === undefined && target.proxyType === undefined;
  if (communityId === undefined) return askPlainly(call, target);
  try {
    const body = isPlain ? { walletSk: target.accountId, communityId } : { ...target, communityId };
    return read(await call('PUT /wallet-manager/wallet-connections', { body }));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND') return askPlainly(call, target);
    throw error;
  }
}

async function askPlainly(call: Call, target: Target): Promise<MessageOrOutcome> {
  return read(await call('PUT /wallet-manager/wallet-connections', { body: { ...target } }));
}

export interface Signed {
  state: string;
  signature: string;
  publicKey?: string;
}

export async function sendSignature(call: Call, target: Target, signed: Signed): Promise<Outcome> {
  const body = { ...target, ...signed, signature: asList(signed.signature) };
  return concluded(read(await call('PUT /wallet-manager/wallet-connections', { body })));
}

export async function chooseProxy(call: Call, state: string, proxyAddress: string): Promise<Outcome> {
  const answer = await call('POST /wallet-manager/wallet-connections/resume', { body: { state, proxyAddress } });
  return concluded(read(answer));
}

/** Takes the wallet from the account that has it. */
export async function moveWallet(call: Call, { address, resetToken }: { address: string; resetToken: string }) {
  await call('POST /wallet-manager/reset-wallets/{resetToken}', { resetToken });
  return { kind: 'linked', address, isNew: true } as const;
}

type Composite = { f_type?: string; f_vsn?: string; addr?: string; keyId?: number; signature?: string };

/** Wallets of Flow answer a list, which travels as one. */
function asList(signature: string): string | Composite[] {
  if (!signature.trimStart().startsWith('[')) return signature;
  try {
    return JSON.parse(signature) as Composite[];
  } catch {
    return signature;
  }
}

/** What an answer means. One without a code is a wallet that was linked before, and counts for the community now. */
function read(answer: Answer): MessageOrOutcome {
  const { code, address = '', message = '' } = 'code' in answer ? answer : { address: answer.address };
  if (!('code' in answer) || code === undefined) return { kind: 'linked', address, isNew: false };
  switch (code) {
    case 'CONNECTED':
      return { kind: 'linked', address, isNew: true };
    case 'ALREADY_CONNECTED':
      return { kind: 'linked', address, isNew: false };
    case 'SIGNATURE_REQUIRED':
      return { kind: 'sign', message, state: answer.state ?? '' };
    case 'WALLET_TAKEN':
      return { kind: 'taken', address, resetToken: answer.resetToken ?? '' };
    case 'PROXY_REQUIRED':
      return {
        kind: 'choose',
        state: answer.state ?? '',
        proxies: (answer.proxies ?? []).flatMap(({ proxyAddresses = [] }) => proxyAddresses),
      };
    case 'CHALLENGE_UNKNOWN':
      return { kind: 'refused', text: t('link.messageUsed') };
    case 'SIGNATURE_INVALID':
      return {
        kind: 'refused',
        text: t('link.signatureInvalid', { address: shortAddress(address) }),
      };
    case 'NOT_AN_OWNER':
      return { kind: 'refused', text: t('link.notOwner') };
    case 'NO_PROXY':
      return { kind: 'refused', text: t('link.noProxy') };
    case 'VERIFIED':
    case 'CODE_NOT_FOUND':
      return { kind: 'refused', text: message };
  }
}

/** What came of a wallet that was proven in another browser. */
export function outcomeOf(answer: Answer): Outcome {
  return concluded(read(answer));
}

function concluded(request: MessageOrOutcome): Outcome {
  return request.kind === 'sign' ? { kind: 'refused', text: t('link.again') } : request;
}
