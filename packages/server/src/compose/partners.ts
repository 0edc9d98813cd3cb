import { createWaitingListChain } from '@latchkey/chains';
import type { Services } from '@latchkey/core';
import { createFreshdesk, createSnapshotHub } from '@latchkey/integrations';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';

type PartnerConfig = Pick<
  Config,
  'chainUrls' | 'serviceKeys' | 'evmRpcUrls' | 'supportEmail' | 'mailFrom' | 'waitingList' | 'paymaster'
>;

const timeoutMs = 10_000;

/** Creates the clients of Snapshot, Freshdesk and the waiting-list contract, as far as they are configured. */
export function composePartners(config: PartnerConfig): Pick<Services, 'snapshot' | 'helpdesk' | 'waitingList'> {
  const { chainUrls, serviceKeys } = config;
  const [hubUrl, hubKey] = [chainUrls.get('snapshot')?.[0], serviceKeys.get('snapshot')?.[0]];
  const [deskUrl, deskKey] = [chainUrls.get('freshdesk')?.[0], serviceKeys.get('freshdesk')?.[0]];
  return {
    snapshot:
      hubUrl === undefined
        ? undefined
        : createSnapshotHub({ url: hubUrl, apiKey: hubKey, timeoutMs, fetch: fetchTo([hubUrl]) }),
    helpdesk:
      deskUrl === undefined || deskKey === undefined
        ? undefined
        : createFreshdesk({ url: deskUrl, apiKey: deskKey, timeoutMs, fetch: fetchTo([deskUrl]) }),
    waitingList: createWaitingListChain({
      rpcUrlsOf: (chain) => config.evmRpcUrls.get(chain) ?? [],
      timeoutMs,
      fetch: fetchTo([...config.evmRpcUrls.values()].flat()),
    }),
  };
}

/** Returns the partner settings: where to send, what to trust, what to allow. */
export function partnerSettings(config: PartnerConfig): NonNullable<Services['settings']['partners']> {
  return {
    supportEmail: config.supportEmail ?? config.mailFrom,
    snapshotWebhookSecrets: config.serviceKeys.get('snapshot-webhook') ?? [],
    waitingList: config.waitingList,
    paymaster: { secrets: config.serviceKeys.get('paymaster') ?? [], ...config.paymaster },
  };
}
