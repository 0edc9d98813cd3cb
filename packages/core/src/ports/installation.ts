/** One setting, as the operator sees it. */
export interface SettingInForce {
  /** The environment variable. */
  name: string;
  meaning: string;
  /** What is in force. Of secrets only whether they are set; of addresses only the host. */
  value?: string | undefined;
  isMasked: boolean;
  /** Whether it was set explicitly, or the default applies. */
  isSet: boolean;
  /** Why the present value is dangerous, and what to do. */
  warning?: string | undefined;
}

export interface CaughtMail {
  to: readonly string[];
  subject: string;
  text: string;
  receivedAt: string;
}

/** How well an endpoint of a chain answers this process. It is named by its place in the settings, never by its address. */
export interface EndpointHealth {
  chain: string;
  endpoint: string;
  /** The end of its host name, by which people know a provider. */
  host: string;
  /** closed: it is asked; open: it is left alone for a while; half-open: one question decides. */
  state: 'closed' | 'open' | 'half-open';
  /** The share of its last answers that failed. */
  errorRate: number;
  newestBlock: bigint | undefined;
}

/** What only the process that was set up knows, for the operator. */
export interface Installation {
  settings: readonly SettingInForce[];
  /** Where mails go: to a mail server, to the built-in catcher, or nowhere. */
  mail: 'server' | 'catcher' | 'none';
  /** What the catcher holds, newest first; undefined when it does not answer. */
  caughtMails(): Promise<readonly CaughtMail[] | undefined>;
  endpoints(): readonly EndpointHealth[];
}
