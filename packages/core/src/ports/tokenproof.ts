/** The tokenproof app's response to a request, signed with the secret that it shares with this server. */
export interface TokenproofReply {
  nonce: string;
  status: string;
  /** The account that was proven: an address, or an account id in CAIP-10 form. */
  account?: string;
  reason?: string;
  timestamp?: string;
  sessionId?: string;
}

export type TokenproofAnswer =
  | { kind: 'replied'; reply: TokenproofReply }
  | { kind: 'waiting' }
  | { kind: 'unknown'; reason: string };

/** Requests proofs from people's phones through tokenproof. */
export interface Tokenproof {
  /** The link that opens the app with this request. */
  appLink(request: { requestId: string; nonce: string }): string;
  /** The app's response. A response that is not signed with the shared secret is unknown. Never throws. */
  readReply(requestId: string, signal?: AbortSignal): Promise<TokenproofAnswer>;
}
