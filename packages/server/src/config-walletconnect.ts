import { plainText, url } from './config-kinds.ts';

/** The variables for WalletConnect on the page where members link wallets. */
export const walletConnectVariables = {
  LATCHKEY_WALLETCONNECT_PROJECT_ID: plainText(
    'The project id from dashboard.reown.com, which lets members link wallets with WalletConnect. Without it, WalletConnect is not offered.',
  ),
  LATCHKEY_WALLETCONNECT_RELAY_URL: url(
    'The WalletConnect relay that members’ browsers connect to, if there is a project id.',
    ['wss:', 'ws:'],
    'wss://relay.walletconnect.org',
  ),
};

type Values = {
  [Name in keyof typeof walletConnectVariables]: ReturnType<(typeof walletConnectVariables)[Name]['read']>;
};

export function shapeWalletConnect(values: Values) {
  const { LATCHKEY_WALLETCONNECT_PROJECT_ID: projectId, LATCHKEY_WALLETCONNECT_RELAY_URL: relayUrl } = values;
  return { walletConnect: projectId === undefined || relayUrl === undefined ? undefined : { projectId, relayUrl } };
}
