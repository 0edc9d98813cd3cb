/** One setting, as the operator sees it. */
export interface SettingInForce {
  /** The environment variable. */
  name: string;
  meaning: string;
  /** The value in effect. For secrets, only whether they are set; for URLs, only the host. */
  value?: string | undefined;
  isMasked: boolean;
  /** Whether it was set explicitly, or the default applies. */
  isSet: boolean;
  /** Why the current value is dangerous, and what to do. */
  warning?: string | undefined;
}

export interface CaughtMail {
  to: readonly string[];
  subject: string;
  text: string;
  receivedAt: string;
}

/**
 * The health of a chain's endpoint as seen by this process. Identified by its position in the settings, never by its
 * URL.
 */
export interface EndpointHealth {
  chain: string;
  endpoint: string;
  /** The end of its host name, by which people recognize a provider. */
  host: string;
  /** closed: it is used; open: it is skipped for a while; half-open: one request decides. */
  state: 'closed' | 'open' | 'half-open';
  /** The share of its recent responses that failed. */
  errorRate: number;
  newestBlock: bigint | undefined;
}

/** What only the running process knows about its setup, for the operator. */
export interface Installation {
  settings: readonly SettingInForce[];
  /** Where emails go: to a mail server, to the built-in catcher, or nowhere. */
  mail: 'server' | 'catcher' | 'none';
  /** The emails in the catcher, newest first; undefined if it does not respond. */
  caughtMails(): Promise<readonly CaughtMail[] | undefined>;
  endpoints(): readonly EndpointHealth[];
}
