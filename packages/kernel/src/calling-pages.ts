/** The kinds of origin of a request, by its Origin header. */
export const originKinds = {
  none: 'No `Origin` header: a program, or a page of this server that only reads.',
  own: 'A page of this server.',
  portal: 'The documentation portal that `LATCHKEY_PORTAL_URL` names.',
  listed: 'A page whose origin is in `allowedOrigins` of the calling client application.',
  registered: 'A page whose origin is in `allowedOrigins` of another approved client application.',
  other: 'Any other page, including pages whose origin is `null`.',
} as const;

export type OriginKind = keyof typeof originKinds;

/** Whether a call is accepted; `never` if the combination cannot occur. */
export type PageRule = 'yes' | 'no' | 'never';

/**
 * Which callers are accepted from which pages. Every credential is a header that the page itself sends, so a page can
 * only use what it was given. The only cookie that counts, the console's, needs a header that no page of another origin
 * can send. The rules keep a credential on the pages it is meant for.
 */
export const callingPages = {
  anonymous: {
    sends: 'no credential, or an invalid one',
    from: { none: 'yes', own: 'yes', portal: 'yes', listed: 'never', registered: 'yes', other: 'yes' },
  },
  'open-application': {
    sends: 'the API key or a token of a client application whose `allowedOrigins` is empty',
    from: { none: 'yes', own: 'yes', portal: 'yes', listed: 'never', registered: 'yes', other: 'yes' },
  },
  'restricted-application': {
    sends: 'the API key or a token of a client application with `allowedOrigins`',
    from: { none: 'yes', own: 'no', portal: 'no', listed: 'yes', registered: 'no', other: 'no' },
  },
  person: {
    sends: 'a user’s token that is not tied to a client application',
    from: { none: 'yes', own: 'yes', portal: 'yes', listed: 'never', registered: 'yes', other: 'no' },
  },
  operator: {
    sends: 'an operator key',
    from: { none: 'yes', own: 'yes', portal: 'yes', listed: 'never', registered: 'no', other: 'no' },
  },
  console: {
    sends: 'a console session cookie, with `x-latchkey-console: 1`',
    from: { none: 'yes', own: 'yes', portal: 'no', listed: 'never', registered: 'no', other: 'no' },
  },
} as const satisfies Record<string, { sends: string; from: Record<OriginKind, PageRule> }>;

export type PageCaller = keyof typeof callingPages;

export function mayCallFrom(caller: PageCaller, origin: OriginKind): boolean {
  return callingPages[caller].from[origin] === 'yes';
}

/** Whether no page is refused, so that the origin need not be checked. */
export function mayCallFromAnywhere(caller: PageCaller): boolean {
  return !Object.values(callingPages[caller].from).some((rule) => rule === 'no');
}
