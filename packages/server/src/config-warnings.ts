import type { Config } from './config.ts';

type Known = Omit<Config, 'inForce'>;

const loopback = ['127.0.0.1', '::1', 'localhost'];
const manyRequestsPerSecond = 1000;

/** What is dangerous about the present values, with what to do. A default that suits a trial is named once others are let in. */
const rules: Readonly<Record<string, (config: Known) => string | undefined>> = {
  LATCHKEY_BASE_URL: ({ host, baseUrl }) =>
    !loopback.includes(host) && !baseUrl?.startsWith('https:')
      ? 'Other machines reach this server without TLS. Put a proxy with TLS in front, and set this to its https address.'
      : undefined,
  LATCHKEY_MASTER_KEYS: ({ masterKeys, databaseUrl }) =>
    masterKeys.length === 0 && databaseUrl !== undefined
      ? 'The master key lies in the data folder of one machine, and other machines make their own. Set it, and keep a copy apart from the database.'
      : undefined,
  LATCHKEY_LOG_LEVEL: ({ logLevel }) =>
    logLevel === 'debug' ? 'Debug lines are many, and may tell more of people than you want to keep.' : undefined,
  LATCHKEY_TRUSTED_PROXIES: ({ trustedProxies }) =>
    trustedProxies.some((entry) => /^(0\.0\.0\.0|::)\/0$/.test(entry))
      ? 'Everybody is believed about the address they come from, so that limits by address stop nobody. List your proxies alone.'
      : undefined,
  LATCHKEY_ANONYMOUS_RATE: ({ anonymousRate: { points, durationSeconds } }) =>
    points / durationSeconds > manyRequestsPerSecond
      ? 'Guessing of keys and codes is hardly slowed down. Allow fewer requests.'
      : undefined,
  LATCHKEY_ETHEREUM_FIXED_TEXT: ({ ethereumFixedText }) =>
    ethereumFixedText
      ? 'One signature over a fixed text opens reads for good: anyone who sees it once can use it. Switch it off once no client needs it.'
      : undefined,
  LATCHKEY_ALLOW_PRIVATE_CALLBACKS: ({ allowPrivateCallbacks }) =>
    allowPrivateCallbacks === true
      ? 'Webhooks and mini-apps may name addresses of your own network, and so reach what is meant to be closed. Switch it off outside of a trial.'
      : undefined,
  LATCHKEY_ALLOW_SHARED_WALLETS: ({ allowSharedWallets }) =>
    allowSharedWallets ? 'One wallet can give a role to many accounts of a community.' : undefined,
  LATCHKEY_REMOVAL_QUORUM: ({ gating }) =>
    gating.removalQuorum === 1
      ? 'One endpoint that is wrong takes roles away. Set it to 2 and name two endpoints for each chain.'
      : undefined,
  LATCHKEY_HOLD_PERCENT: ({ gating }) =>
    gating.heldRemovalShare >= 1
      ? 'No change waits for approval, however many people lose a role. Set it to 5.'
      : undefined,
  LATCHKEY_SIGN_HASHES: ({ signer }) =>
    signer.policy.allowsHashes
      ? 'People approve hashes that nobody can read, and may sign away what they own. Switch it off if no application needs it.'
      : undefined,
  LATCHKEY_METRICS_HOST: ({ metrics: { host, port, token } }) =>
    port !== undefined && !loopback.includes(host) && token === undefined
      ? 'Other machines can read the metrics, which tell an attacker when to come. Set LATCHKEY_METRICS_TOKEN, or close the port to all but your collector.'
      : undefined,
  LATCHKEY_SIGNER_MASTER_KEYS: ({ signer, signer: { masterKeys } }) =>
    masterKeys.length > 0 && signer.isWanted !== true
      ? 'The keys of hosted wallets can be opened by this process, which does not need them. Set this for the signer alone.'
      : undefined,
};

export function warningsOf(config: Known): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, rule(config)]));
}
